//! Whether a scan steps to where it wants to go, or seeks.

/// How many rows a seek costs: with blocks in memory a step takes 0.15 µs and a seek 0.8 to 2.
const SEEK: u8 = 8;
/// How many seeks are made before stepping is tried again.
const RETRY: u8 = 32;

/// Chooses between steps and a seek, by what came of the choices before.
///
/// A scan that knows where the next row can be tries some steps, and seeks if they do not lead
/// there: at most [`SEEK`] steps, so that a try costs no more than the seek that it may save.
/// When they led nowhere it tries half as many the next time, in the end none, but for once in
/// [`RETRY`] seeks; when they did, all of them again.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    steps: u8,
    seeks: u8,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            steps: SEEK,
            seeks: 0,
        }
    }
}

impl Pace {
    /// A pace that begins with a try of so many steps.
    #[cfg(test)]
    pub(super) fn of(steps: u8) -> Self {
        Pace { steps, seeks: 0 }
    }

    /// How many steps are worth a try now.
    #[inline]
    pub(super) fn steps(&mut self) -> u8 {
        if self.seeks < RETRY {
            return self.steps;
        }
        self.seeks = 0;
        SEEK
    }

    /// The steps led there.
    #[inline]
    pub(super) fn stepped(&mut self) {
        self.steps = SEEK;
        self.seeks = 0;
    }

    /// They did not, and a seek was made.
    #[inline]
    pub(super) fn sought(&mut self) {
        self.steps /= 2;
        self.seeks += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a scan costs, in steps, whose targets are these distances apart.
    fn cost(distances: impl Iterator<Item = u64>) -> u64 {
        let mut pace = Pace::default();
        let one = |distance| {
            let steps = u64::from(pace.steps());
            if distance <= steps {
                pace.stepped();
                distance
            } else {
                pace.sought();
                steps + u64::from(SEEK)
            }
        };
        distances.map(one).sum()
    }

    #[test]
    fn a_wrong_choice_costs_little_and_is_not_made_for_long() {
        let seek = u64::from(SEEK);
        // Seeks pay: hardly a step is made.
        assert!(cost((0..1000).map(|_| 100)) < 1000 * seek * 11 / 10);
        // Steps pay: hardly a seek.
        assert_eq!(cost((0..1000).map(|_| 3)), 3000);
        // The distances change.
        let late = |n| if n < 500 { 100 } else { 2 };
        assert!(cost((0..1000).map(late)) < 500 * seek * 11 / 10 + 500 * 2 + 64 * seek);
        // The worst there is: just too far each time, and near again when it has given up.
        for period in 1..12 {
            let distances = move |n| if n % period == 0 { 1 } else { seek + 1 };
            let best: u64 = (0..1000).map(|n| distances(n).min(seek)).sum();
            assert!(
                cost((0..1000).map(distances)) <= 2 * best + seek,
                "{period}"
            );
        }
    }
}
