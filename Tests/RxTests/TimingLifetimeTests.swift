import Dispatch
import Rx
import RxTesting
import Testing

/// Tests when operators that depend on time or a second stream subscribe and dispose, besides their output.
@Suite("Subscriptions of timing operators", .noLeaks)
struct TimingLifetimeTests {
    private let scheduler = TestScheduler()

    private func cold(_ marbles: String) -> Source {
        Source(marbles, scheduler)
    }

    private func frames(_ count: Int) -> RxTimeInterval {
        .milliseconds(count * frame)
    }

    /// Expects the output of a source, the frames of its subscription, and that nothing is left on the
    /// scheduler.
    private func expect(
        _ marbles: String, sends output: String, until end: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ build: (Observable<String>) -> Observable<String>
    ) {
        let begin = scheduler.clock
        let source = cold(marbles)
        scheduler.expect(build(source.observable), sends: output, sourceLocation: sourceLocation)
        #expect(source.subscriptions(from: begin) == [end], sourceLocation: sourceLocation)
        #expect(source.census.alive == 0, sourceLocation: sourceLocation)
        #expect(scheduler.pendingCount == 0, sourceLocation: sourceLocation)
    }

    @Test(
        "debounce restarts its time at each value, emits the pending value on completion, and drops it on an error"
    )
    func debounce() {
        let quiet: (Observable<String>) -> Observable<String> = {
            $0.debounce(frames(2), scheduler: scheduler)
        }
        expect("ab-c---|", sends: "-----c-|", until: "^------!", quiet)
        expect("a-|", sends: "--(a|)", until: "^-!", quiet)
        expect("a---b#", sends: "--a--#", until: "^----!", quiet)
        expect("|", sends: "|", until: "(^!)", quiet)
    }

    @Test(
        "throttle emits the first and then the latest value, and a completion waits for it but an error drops it"
    )
    func throttleLatest() {
        let throttled: (Observable<String>) -> Observable<String> = {
            $0.throttle(frames(3), scheduler: scheduler)
        }
        expect("abcd---e----|", sends: "a--d---e----|", until: "^-----------!", throttled)
        expect("ab|", sends: "a--(b|)", until: "^-!", throttled)
        expect("a|", sends: "a|", until: "^!", throttled)
        expect("ab#", sends: "a-#", until: "^-!", throttled)
    }

    @Test("throttle(latest: false) emits the first value of each interval and completes at once")
    func throttleFirst() {
        let throttled: (Observable<String>) -> Observable<String> = {
            $0.throttle(frames(3), latest: false, scheduler: scheduler)
        }
        expect("abcde---|", sends: "a--d----|", until: "^-------!", throttled)
        expect("ab|", sends: "a-|", until: "^-!", throttled)
        expect("ab#", sends: "a-#", until: "^-!", throttled)
    }

    @Test("delay shifts values and completion, and an error is immediate and drops pending values")
    func delay() {
        let late: (Observable<String>) -> Observable<String> = { $0.delay(frames(3), scheduler: scheduler) }
        expect("ab--|", sends: "---ab--|", until: "^---!", late)
        expect("a--b#", sends: "---a#", until: "^---!", late)
        expect("#", sends: "#", until: "(^!)", late)
    }

    @Test("delaySubscription delays the subscription but not the events")
    func delaySubscription() {
        let late: (Observable<String>) -> Observable<String> = {
            $0.delaySubscription(frames(3), scheduler: scheduler)
        }
        expect("-a-|", sends: "----a-|", until: "---^--!", late)
        expect("#", sends: "---#", until: "---(^!)", late)
    }

    @Test("sample completes at the sampler's next event, and the sampler's completion takes a last sample")
    func sample() {
        let (source, sampler) = (cold("a-b|"), cold("-t---t-t|"))
        scheduler.expect(source.observable.sample(sampler.observable), sends: "-a---(b|)")
        #expect(source.subscriptions == ["^--!"])
        #expect(sampler.subscriptions == ["^----!"])
        let begin = scheduler.clock
        let (endless, ending) = (cold("a-b-----#"), cold("-t-|"))
        scheduler.expect(endless.observable.sample(ending.observable), sends: "-a-b----#")
        #expect(endless.subscriptions(from: begin) == ["^-------!"])
        #expect(ending.subscriptions(from: begin) == ["^--!"])
        let second = scheduler.clock
        let (left, failing) = (cold("a-b-----|"), cold("-t-#"))
        scheduler.expect(left.observable.sample(failing.observable), sends: "-a-#")
        #expect(left.subscriptions(from: second) == ["^--!"])
    }

    @Test(
        "buffer emits empty arrays, a partial one on completion and none on an error, and a full one restarts the time"
    )
    func buffer() {
        let buffered: (Observable<String>) -> Observable<String> = {
            $0.buffer(timeSpan: frames(3), count: 2, scheduler: scheduler).map { "\($0.count)" + $0.joined() }
        }
        expect("a------(bc)-d-|", sends: "---{1a}--0{2bc}--{1d}(0|)", until: "^----------!", buffered)
        expect("a-#", sends: "--#", until: "^-!", buffered)
        expect("|", sends: "(0|)", until: "(^!)", buffered)
    }

    @Test(
        "window opens its first window on subscription, and an error ends the window before the stream"
    )
    func window() {
        let ended: (Observable<String>) -> Observable<String> = {
            $0.window(timeSpan: frames(3), count: 2, scheduler: scheduler).enumerated().flatMap { window in
                let (number, values) = window
                return values.materialize().map { "\(number)\($0)" }.startWith("\(number)")
            }
        }
        expect(
            "-a--b-|", sends: "0{0next(a)}-({0completed}1){1next(b)}-({1completed}|)", until: "^-----!", ended
        )
        expect(
            "(abc)#", sends: "(0{0next(a)}{0next(b)}{0completed}1{1next(c)})({1error(failed)}#)", until: "^!",
            ended)
    }

    @Test(
        "take(until:) subscribes to its trigger first, ends at the trigger's value or error, and ignores its completion"
    )
    func takeUntil() {
        for (other, output, end, otherEnd) in [
            ("----x-", "-a-b|", "^---!", "^---!"), ("----#", "-a-b#", "^---!", "^---!"),
            ("----|", "-a-b-c-|", "^------!", "^---!"), ("------------x", "-a-b-c-|", "^------!", "^------!"),
        ] {
            let begin = scheduler.clock
            let (source, trigger) = (cold("-a-b-c-|"), cold(other))
            scheduler.expect(source.observable.take(until: trigger.observable), sends: output)
            #expect(source.subscriptions(from: begin) == [end])
            #expect(trigger.subscriptions(from: begin) == [otherEnd])
        }
        let source = cold("-a-|")
        scheduler.expect(source.observable.take(until: Observable.just(1)), sends: "|")
        #expect(source.subscriptions == [])
    }

    @Test("skip(until:) disposes its trigger at the first value, and the trigger's error ends both")
    func skipUntil() {
        for (other, output, end, otherEnd) in [
            ("--x--x", "---b-c-|", "^------!", "^-!"), ("--#", "--#", "^-!", "^-!"),
            ("--|", "", "^------!", "^-!"), ("---------x", "", "^------!", "^------!"),
        ] {
            let begin = scheduler.clock
            let (source, trigger) = (cold("-a-b-c-|"), cold(other))
            scheduler.expect(source.observable.skip(until: trigger.observable), sends: output)
            #expect(source.subscriptions(from: begin) == [end])
            #expect(trigger.subscriptions(from: begin) == [otherEnd])
        }
    }

    // MARK: Single values

    @Test("element(at:), first and single dispose their source as soon as the result is known")
    func oneValue() {
        let many = "#{Sequence contains more than one element.}"
        expect("-a-b-c-|", sends: "---(b|)", until: "^--!") { $0.element(at: 1) }
        expect("-a-|", sends: "---#{Argument out of range.}", until: "^--!") { $0.element(at: 1) }
        let source = cold("-a-|")
        scheduler.expect(source.observable.element(at: -1), sends: "#{Argument out of range.}")
        #expect(source.subscriptions == [])
        expect("-a-b-c-|", sends: "-({a}|)", until: "^!") { $0.first().asObservable().map { $0 ?? "nil" } }
        expect("--|", sends: "--({nil}|)", until: "^-!") { $0.first().asObservable().map { $0 ?? "nil" } }
        // single() has already emitted its value, but a Single has not.
        expect("-a-b-c-|", sends: "-a-\(many)", until: "^--!") { $0.single() }
        expect("-a-b-c-|", sends: "---\(many)", until: "^--!") { $0.asSingle().asObservable() }
        expect("-a-b-c-|", sends: "---\(many)", until: "^--!") { $0.asMaybe().asObservable() }
        expect("-a-|", sends: "-a-|", until: "^--!") { $0.single() }
        expect("-a-|", sends: "---(a|)", until: "^--!") { $0.asSingle().asObservable() }
        expect("-a-|", sends: "---(a|)", until: "^--!") { $0.asMaybe().asObservable() }
        expect("--|", sends: "--|", until: "^-!") { $0.asMaybe().asObservable() }
        expect("--|", sends: "--#{Sequence doesn't contain any elements.}", until: "^-!") { $0.single() }
        expect("--|", sends: "--#{Sequence doesn't contain any elements.}", until: "^-!") {
            $0.asSingle().asObservable()
        }
    }

    // MARK: Materialized events and results

    @Test(
        "materialize turns an error into a value, and dematerialize disposes its source at a terminal event")
    func events() {
        expect("-a-#", sends: "-{next(a)}-({error(failed)}|)", until: "^--!") {
            $0.materialize().map { "\($0)" }
        }
        expect("-a-|", sends: "-{next(a)}-({completed}|)", until: "^--!") {
            $0.materialize().map { "\($0)" }
        }
        let stop: [(Event<String>, String)] = [(.completed, "-a-|"), (.error(TestError()), "-a-#")]
        for (event, output) in stop {
            expect("-a-b-c-|", sends: output, until: "^--!") {
                $0.map { $0 == "b" ? event : .next($0) }.dematerialize()
            }
        }
        expect("-a-#", sends: "-a-#", until: "^--!") { $0.map { Event.next($0) }.dematerialize() }
    }

    @Test(
        "scan does not emit the seed, reduce emits it for an empty stream, and a throwing closure disposes the source"
    )
    func results() {
        expect("--|", sends: "--|", until: "^-!") { $0.scan("x") { $0 + $1 } }
        expect("-a-|", sends: "-{xa}-|", until: "^--!") { $0.scan("x") { $0 + $1 } }
        expect("--|", sends: "--(x|)", until: "^-!") { $0.reduce("x") { $0 + $1 } }
        expect("-a-|", sends: "---({xa}|)", until: "^--!") { $0.reduce("x") { $0 + $1 } }
        expect("-a-|", sends: "-#", until: "^!") { $0.reduce("x") { _, _ in throw TestError() } }
        expect("-a-|", sends: "---#", until: "^--!") {
            $0.reduce("x", accumulator: { $0 + $1 }, mapResult: { _ -> String in throw TestError() })
        }
    }
}
