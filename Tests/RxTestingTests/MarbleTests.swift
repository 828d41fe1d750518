import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Marbles", .noLeaks)
struct MarbleTests {
    @Test(
        "Malformed marbles are rejected with the position of the error",
        arguments: [
            ("-a)", 2, ") without ("), ("-(ab", 1, "( without )"), ("((a))", 1, "( inside a group"),
            ("(a-b)", 2, "no time can pass inside a group"), ("-{ab", 1, "{ without }"),
            ("a|b", 2, "an event after the end"), ("#|", 1, "an event after the end"),
            ("-}", 1, "unexpected }"),
            ("<x>a", 0, "< must be followed by a number of frames from 1 to 1000000000 and >"),
            ("<0>a", 0, "< must be followed by a number of frames from 1 to 1000000000 and >"),
            ("-<12", 1, "< must be followed by a number of frames from 1 to 1000000000 and >"),
            ("a^", 1, "unexpected ^"),
            (
                "<9223372036854775807>-", 0,
                "< must be followed by a number of frames from 1 to 1000000000 and >"
            ),
        ])
    func refused(text: String, position: Int, reason: String) {
        let error = #expect(throws: MarbleSyntaxError.self) { try Marbles.events(text) }
        #expect(error?.position == position)
        #expect(error?.reason == reason)
        #expect(error?.description == "marbles \"\(text)\", character \(position): \(reason)")
    }

    @Test("A name without a value is rejected")
    func unknownValue() {
        let error = #expect(throws: MarbleSyntaxError.self) { try Marbles.events("-a-b", values: ["a": 1]) }
        #expect(error?.description == "marbles \"-a-b\": no value for b")
    }

    @Test("Marbles become events in frames")
    func reading() throws {
        let events = try Marbles.events("-a -(b{two}) <100> {a\\}b} -#{gone}")
        #expect(
            events == [
                .next(1, "a"), .next(3, "b"), .next(3, "two"), .next(104, "a}b"),
                .error(106, TestError("gone")),
            ])
        #expect(try Marbles.events("").isEmpty)
        #expect(try Marbles.events("---").isEmpty)
        #expect(try Marbles.events("#") == [.error(0, TestError())])
        #expect(try Marbles.events("a|", values: ["a": 7]) == [.next(0, 7), .completed(1)])
    }

    @Test(
        "Writing events restores the marbles they were read from",
        arguments: [
            "", "-a-b-|", "(ab|)", "-{ten}-(a{b c})-#", "#{gone away}", "<61>a<500>|",
            "{|}{-}{\\}}{\\\\}{ }{}",
        ])
    func writing(text: String) throws {
        #expect(Marbles.text(try Marbles.events(text)) == text)
    }

    @Test("Values are written as their descriptions")
    func descriptions() {
        let events: [Recorded<Event<[Int]>>] = [.next(203, [1, 2]), .error(205, RxError.timeout)]
        #expect(Marbles.text(events, from: 200) == "---{[1, 2]}-#{\(RxError.timeout)}")
    }

    @Test("A subscription is written from its first frame to its last")
    func subscriptions() {
        #expect(Marbles.text(Subscription(2, 5)) == "--^--!")
        #expect(Marbles.text(Subscription(2, 2)) == "--(^!)")
        #expect(Marbles.text(Subscription(12), from: 10) == "--^")
        #expect(Marbles.text(Subscription(0, 100)) == "^<99>!")
    }

    @Test("A difference is shown frame by frame, and differing frames are marked")
    func difference() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a-{twelve}-|")
        let observer = scheduler.record(source)
        #expect(try observer.difference(from: "-a-{twelve}-|") == nil)
        #expect(try observer.difference(from: "-a-{twelve}-|---") == nil, "time after the end is ignored")
        #expect(
            try observer.difference(from: "-a-b--c|") == """
                the streams differ, first in frame 3:
                expected  -a-b       --c|
                received  -a-{twelve}-|--
                             ^^^^^^^^ ^^^
                """)
        #expect(throws: MarbleSyntaxError.self) { try observer.difference(from: "(") }
    }

    @Test("Missing and additional events at the end are differences")
    func lengths() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let observer = scheduler.record(try scheduler.createColdObservable("a|"))
        #expect(
            try observer.difference(from: "a") == """
                the streams differ, first in frame 1:
                expected  a-
                received  a|
                           ^
                """)
        #expect(try observer.difference(from: "a-|") != nil)
        #expect(try observer.difference(from: "") != nil)
    }

    @Test("Named values are compared by value and shown by name")
    func namedValues() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a-b-c|", values: ["a": 1, "b": 2, "c": 42])
        let observer = scheduler.record(source)
        #expect(try observer.difference(from: "-a-b-c|", values: ["a": 1, "b": 2, "c": 42]) == nil)
        #expect(
            try observer.difference(from: "-a-a--|", values: ["a": 1, "b": 2]) == """
                the streams differ, first in frame 3:
                expected  -a-a--   |
                received  -a-b-{42}|
                             ^ ^^^^
                """)
    }

    @Test("Only a failing expectation records an issue, which shows the difference")
    func expectations() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a|")
        withKnownIssue {
            scheduler.expect(source, sends: "-b|", "the wrong letter")
        } matching: { issue in
            issue.comments.contains {
                "\($0)".contains("the wrong letter: the streams differ, first in frame 1")
            }
        }
        withKnownIssue {
            scheduler.expect(source.map { _ in 2 }, sends: "-b|", values: ["b": 1])
        } matching: { issue in
            issue.comments.contains { "\($0)".contains("received  -2|") }
        }
        withKnownIssue {
            scheduler.expect(source, sends: "(")
        } matching: { issue in
            issue.comments.contains { "\($0)".contains("( without )") }
        }
        scheduler.expect(source, sends: "-a|")
        scheduler.expect(source.map { _ in 2 }, sends: "-b|", values: ["b": 2])
    }

    @Test("A stream is disposed after the requested frame")
    func disposal() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a-b-c")
        scheduler.expect(source, sends: "-a-b", disposedAt: 3)
        #expect(source.subscriptionMarbles == ["^--!"])
        #expect(scheduler.marbles(of: source, frames: 2) == "-a")
    }

    @Test("A hot stream's marbles start at the current tick")
    func hot() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        scheduler.advanceTo(50)
        let source = try scheduler.createHotObservable("-a-b-|")
        let named = try scheduler.createHotObservable("--x", values: ["x": 5])
        scheduler.advanceTo(52)
        scheduler.expect(source, sends: "-b-|", frames: 5)
        #expect(source.subscriptions == [Subscription(52, 55)])
        #expect(named.recordedEvents == [.next(52, 5)])
    }
}
