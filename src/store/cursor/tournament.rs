//! Which of many sorted streams has the next row.

/// A tree of losers: the leaves are streams, each inner node keeps the loser of the match played
/// there, and the winner of all stands on top. When the winner has moved on, only the matches on
/// its way up are played again: log2(n) comparisons, half of what a binary heap needs.
///
/// `before(a, b)` says whether stream `a` comes before stream `b`; it must be a strict order.
pub(super) struct Tournament {
    /// Losers by node; node 1 is the root, the children of `i` are `2 i` and `2 i + 1`, the leaf
    /// of stream `s` is `n + s`.
    losers: Vec<usize>,
    winner: usize,
}

impl Tournament {
    /// Plays all matches between `n` streams, `n` being at least 1.
    pub(super) fn new(n: usize, mut before: impl FnMut(usize, usize) -> bool) -> Self {
        let mut losers = vec![0; n];
        let mut winners: Vec<usize> = (0..2 * n).map(|node| node.saturating_sub(n)).collect();
        for node in (1..n).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) = if before(right, left) {
                (right, left)
            } else {
                (left, right)
            };
            winners[node] = winner;
            losers[node] = loser;
        }
        Tournament {
            losers,
            winner: winners.get(1).copied().unwrap_or(0),
        }
    }

    /// The stream that comes first.
    #[inline]
    pub(super) fn winner(&self) -> usize {
        self.winner
    }

    /// Plays the winner's matches again after it has moved on.
    #[inline]
    pub(super) fn replay(&mut self, mut before: impl FnMut(usize, usize) -> bool) {
        let mut winner = self.winner;
        let mut node = (self.losers.len() + winner) / 2;
        while node > 0 {
            let loser = self.losers[node];
            if before(loser, winner) {
                self.losers[node] = winner;
                winner = loser;
            }
            node /= 2;
        }
        self.winner = winner;
    }
}
