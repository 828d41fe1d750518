import Dispatch
import Rx
import RxTesting
import Testing

/// When operators that look at the time or at a second stream subscribe and dispose, beside what they send.
@Suite("The lifetimes of streams in time", .noLeaks)
struct TimingLifetimeTests {
    private let scheduler = TestScheduler()

    private func cold(_ marbles: String) -> Source {
        Source(marbles, scheduler)
    }

    private func frames(_ count: Int) -> RxTimeInterval {
        .milliseconds(count * frame)
    }

    /// What becomes of a source, and when it is disposed; nothing may be left on the scheduler.
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

    @Test("debounce: a new value restarts the time, completion flushes what waits, an error drops it")
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
        "throttle: the first, then the latest of each time; completion waits for that one, an error does not")
    func throttleLatest() {
        let throttled: (Observable<String>) -> Observable<String> = {
            $0.throttle(frames(3), scheduler: scheduler)
        }
        expect("abcd---e----|", sends: "a--d---e----|", until: "^-----------!", throttled)
        expect("ab|", sends: "a--(b|)", until: "^-!", throttled)
        expect("a|", sends: "a|", until: "^!", throttled)
        expect("ab#", sends: "a-#", until: "^-!", throttled)
    }

    @Test("throttle without the latest: the first of each time; completion is at once")
    func throttleFirst() {
        let throttled: (Observable<String>) -> Observable<String> = {
            $0.throttle(frames(3), latest: false, scheduler: scheduler)
        }
        expect("abcde---|", sends: "a--d----|", until: "^-------!", throttled)
        expect("ab|", sends: "a-|", until: "^-!", throttled)
        expect("ab#", sends: "a-#", until: "^-!", throttled)
    }

    @Test("delay shifts values and the end, and never an error, which drops what waits")
    func delay() {
        let late: (Observable<String>) -> Observable<String> = { $0.delay(frames(3), scheduler: scheduler) }
        expect("ab--|", sends: "---ab--|", until: "^---!", late)
        expect("a--b#", sends: "---a#", until: "^---!", late)
        expect("#", sends: "#", until: "(^!)", late)
    }

    @Test("delaySubscription shifts the subscription, and nothing that is sent from there on")
    func delaySubscription() {
        let late: (Observable<String>) -> Observable<String> = {
            $0.delaySubscription(frames(3), scheduler: scheduler)
        }
        expect("-a-|", sends: "----a-|", until: "---^--!", late)
        expect("#", sends: "---#", until: "---(^!)", late)
    }

    @Test("sample: the end of its source waits for the sampler, whose end is a moment too")
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
        "buffer: empty ones too, what there is at the end, nothing at an error; a full one restarts the time")
    func buffer() {
        let buffered: (Observable<String>) -> Observable<String> = {
            $0.buffer(timeSpan: frames(3), count: 2, scheduler: scheduler).map { "\($0.count)" + $0.joined() }
        }
        expect("a------(bc)-d-|", sends: "---{1a}--0{2bc}--{1d}(0|)", until: "^----------!", buffered)
        expect("a-#", sends: "--#", until: "^-!", buffered)
        expect("|", sends: "(0|)", until: "(^!)", buffered)
    }

    @Test(
        "window: the first at the subscription, each to its end; an error is in the window before it is outside"
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
        "take(until:) subscribes to the other stream first; its value and its error end both, its end does not"
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

    @Test("skip(until:): its first value opens and ends the other subscription; an error of it ends both")
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

    // MARK: One value

    @Test("element(at:), first and single dispose their source when they know")
    func oneValue() {
        let many = "#{Sequence contains more than one element.}"
        expect("-a-b-c-|", sends: "---(b|)", until: "^--!") { $0.element(at: 1) }
        expect("-a-|", sends: "---#{Argument out of range.}", until: "^--!") { $0.element(at: 1) }
        let source = cold("-a-|")
        scheduler.expect(source.observable.element(at: -1), sends: "#{Argument out of range.}")
        #expect(source.subscriptions == [])
        expect("-a-b-c-|", sends: "-({a}|)", until: "^!") { $0.first().asObservable().map { $0 ?? "nil" } }
        expect("--|", sends: "--({nil}|)", until: "^-!") { $0.first().asObservable().map { $0 ?? "nil" } }
        // single() has sent its value by then, a Single has not.
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

    // MARK: Events as values, and results

    @Test(
        "materialize sends an error as a value and completes; dematerialize ends its source at a stop event")
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
        "scan sends no seed; reduce sends it alone for an empty stream; what a closure throws disposes the source"
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
