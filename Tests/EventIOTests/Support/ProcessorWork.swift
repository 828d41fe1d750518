import EventIO
import Locking
import TestSupport

/// Keeps this thread busy for some of its processor time.
func work(for time: Duration) {
    let began = ThreadClock.now
    while ThreadClock.now - began < time {}
}

/// Blocks while another thread works.
func waitWhileAnotherWorks(for time: Duration) throws {
    let isDone = Signal()
    try NativeThread.start(name: "another") {
        work(for: time)
        isDone.fire()
    }
    try isDone.waitBlocking()
}
