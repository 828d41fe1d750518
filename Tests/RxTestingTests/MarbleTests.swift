import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Marbles", .noLeaks)
struct MarbleTests {
    @Test(
        "Text that is no marbles is refused, with the place",
        arguments: [
            ("-a)", 2, ") without ("), ("-(ab", 1, "( without )"), ("((a))", 1, "( inside ( )"),
            ("(a-b)", 2, "no time passes between ( and )"), ("-{ab", 1, "{ without }"),
            ("a|b", 2, "after the end"), ("#|", 1, "after the end"), ("-}", 1, "unexpected }"),
            ("<x>a", 0, "< is followed by a number of frames, at most 1000000000, and >"),
            ("<0>a", 0, "< is followed by a number of frames, at most 1000000000, and >"),
            ("-<12", 1, "< is followed by a number of frames, at most 1000000000, and >"),
            ("a^", 1, "unexpected ^"),
            ("<9223372036854775807>-", 0, "< is followed by a number of frames, at most 1000000000, and >"),
        ])
    func refused(text: String, position: Int, reason: String) {
        let error = #expect(throws: MarbleSyntaxError.self) { try Marbles.events(text) }
        #expect(error?.position == position)
        #expect(error?.reason == reason)
        #expect(error?.description == "marbles \"\(text)\", character \(position): \(reason)")
    }

    @Test("A value that nobody gives is refused by its name")
    func unknownValue() {
        let error = #expect(throws: MarbleSyntaxError.self) { try Marbles.events("-a-b", values: ["a": 1]) }
        #expect(error?.description == "marbles \"-a-b\": no value is given for b")
    }

    @Test("Text is events in frames")
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
        "Events are written as the text that they are read from",
        arguments: [
            "", "-a-b-|", "(ab|)", "-{ten}-(a{b c})-#", "#{gone away}", "<61>a<500>|",
            "{|}{-}{\\}}{\\\\}{ }{}",
        ])
    func writing(text: String) throws {
        #expect(Marbles.text(try Marbles.events(text)) == text)
    }

    @Test("Values are written as they describe themselves")
    func descriptions() {
        let events: [Recorded<Event<[Int]>>] = [.next(203, [1, 2]), .error(205, RxError.timeout)]
        #expect(Marbles.text(events, from: 200) == "---{[1, 2]}-#{\(RxError.timeout)}")
    }

    @Test("A subscription is written from its frame to its end")
    func subscriptions() {
        #expect(Marbles.text(Subscription(2, 5)) == "--^--!")
        #expect(Marbles.text(Subscription(2, 2)) == "--(^!)")
        #expect(Marbles.text(Subscription(12), from: 10) == "--^")
        #expect(Marbles.text(Subscription(0, 100)) == "^<99>!")
    }

    @Test("What differs is shown frame under frame, with a mark")
    func difference() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a-{twelve}-|")
        let observer = scheduler.record(source)
        #expect(try observer.difference(from: "-a-{twelve}-|") == nil)
        #expect(try observer.difference(from: "-a-{twelve}-|---") == nil, "time after the end means nothing")
        #expect(
            try observer.difference(from: "-a-b--c|") == """
                the streams differ, first in frame 3:
                expected  -a-b       --c|
                received  -a-{twelve}-|--
                             ^^^^^^^^ ^^^
                """)
        #expect(throws: MarbleSyntaxError.self) { try observer.difference(from: "(") }
    }

    @Test("What is missing at the end differs, and what is too much")
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

    @Test("Named values are compared themselves, and shown by their names")
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

    @Test("An expectation that fails records an issue with the difference, one that holds none")
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

    @Test("A stream is disposed after the frame that is asked for")
    func disposal() throws {
        let scheduler = TestScheduler(frame: .milliseconds(10))
        let source = try scheduler.createColdObservable("-a-b-c")
        scheduler.expect(source, sends: "-a-b", disposedAt: 3)
        #expect(source.subscriptionMarbles == ["^--!"])
        #expect(scheduler.marbles(of: source, frames: 2) == "-a")
    }

    @Test("A hot stream's marbles begin now")
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
