import Testing

@testable import EventIO

@Suite("Code that holds up a loop")
struct BlockWatchTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private static let wake = at(0)

    @Test("Code that takes half a second is found, and the time before it is not its own")
    func limit() throws {
        let wake = Self.wake
        var watch = BlockWatch()
        watch.wakeBegan()
        #expect(watch.codeBegan(wake) == wake)
        #expect(watch.codeEnded(wake, at: Self.at(499)) == nil)
        let begun = watch.codeBegan(wake)
        let second = try #require(begun)
        #expect(second == Self.at(499))
        #expect(watch.codeEnded(second, at: Self.at(999)) == TimeAmount.milliseconds(500))
        #expect(watch.wakeEnded(wake, at: Self.at(1498)) == nil)
        watch.wakeBegan()
        #expect(watch.codeBegan(Self.at(2000)) == Self.at(2000))
    }

    @Test("Code without a name is found without one, and the code after it is not blamed")
    func otherCode() {
        let wake = Self.wake
        var watch = BlockWatch()
        watch.wakeBegan()
        watch.otherCodeRan()
        #expect(watch.codeBegan(wake) == nil)
        #expect(watch.codeBegan(wake, at: Self.at(800)) == TimeAmount.milliseconds(800))
        #expect(watch.codeEnded(Self.at(800), at: Self.at(900)) == nil)
        #expect(watch.wakeEnded(wake, at: Self.at(1500)) == TimeAmount.milliseconds(600))
    }

    @Test("Code within other code is found alone")
    func nested() {
        let wake = Self.wake
        var watch = BlockWatch()
        watch.wakeBegan()
        #expect(watch.codeBegan(wake) == wake)
        #expect(watch.codeBegan(wake) == nil)
        #expect(watch.codeBegan(wake, at: Self.at(100)) == nil)
        #expect(watch.codeEnded(Self.at(100), at: Self.at(700)) == TimeAmount.milliseconds(600))
        #expect(watch.codeEnded(wake, at: Self.at(800)) == nil)
        #expect(watch.wakeEnded(wake, at: Self.at(801)) == nil)
    }

    @Test("What has run before anybody wants to know is not found")
    func start() {
        let wake = Self.wake
        var watch = BlockWatch()
        watch.wakeBegan()
        watch.begin(at: Self.at(900))
        #expect(watch.wakeEnded(wake, at: Self.at(901)) == nil)
    }
}
