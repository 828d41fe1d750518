#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processor time of a thread, which does not depend on other threads and programs.
package enum ThreadClock {
    /// The processor time that this thread has taken. Costs a system call.
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
