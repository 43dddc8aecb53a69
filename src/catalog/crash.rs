//! Places where tests let the process die.
//!
//! Between each two steps of a change of the catalog stands a crash point. Outside of this
//! crate's unit tests it is an empty function and costs nothing; in them [`at_crash_points`] runs
//! a closure there, which copies the database folder: that copy is what the disk would hold had
//! the process died at that point.

#[cfg(not(test))]
#[inline(always)]
pub(super) fn crash_point(_name: &'static str) {}

#[cfg(test)]
pub(super) fn crash_point(name: &'static str) {
    // Taken out while it runs, so that it may change the catalog itself.
    let hook = HOOK.take();
    if let Some(mut hook) = hook {
        hook(name);
        HOOK.set(Some(hook));
    }
}

#[cfg(test)]
type Hook = Box<dyn FnMut(&'static str)>;

#[cfg(test)]
thread_local! {
    static HOOK: std::cell::RefCell<Option<Hook>> = const { std::cell::RefCell::new(None) };
}

/// Runs `work` on this thread, and `hook` with its name at each crash point on the way.
#[cfg(test)]
pub(super) fn at_crash_points<T>(
    hook: impl FnMut(&'static str) + 'static,
    work: impl FnOnce() -> T,
) -> T {
    HOOK.set(Some(Box::new(hook)));
    let result = work();
    HOOK.set(None);
    result
}
