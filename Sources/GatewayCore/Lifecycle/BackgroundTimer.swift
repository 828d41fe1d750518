package import Rx

/// The timer of a hook, a job or a shared load. Answers do not wait for it. So virtual time does not jump to
/// it before other threads have had time to continue a request.
package protocol BackgroundTimer: TimerTarget {}
