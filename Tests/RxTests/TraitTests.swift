import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Single, Maybe and Completable", .noLeaks)
struct TraitTests {
    private func result<Element>(_ single: Single<Element>) -> [String] {
        let log = Log<String>()
        _ = single.subscribe(
            onSuccess: { log.add("\($0)") }, onFailure: { log.add("error \($0)") },
            onDisposed: { log.add("disposed") })
        return log.entries
    }

    private func result<Element>(_ maybe: Maybe<Element>) -> [String] {
        let log = Log<String>()
        _ = maybe.subscribe(
            onSuccess: { log.add("\($0)") }, onError: { log.add("error \($0)") },
            onCompleted: { log.add("nothing") },
            onDisposed: { log.add("disposed") })
        return log.entries
    }

    private func result(_ completable: Completable) -> [String] {
        let log = Log<String>()
        _ = completable.subscribe(
            onCompleted: { log.add("done") }, onError: { log.add("error \($0)") },
            onDisposed: { log.add("disposed") })
        return log.entries
    }

    @Test("A single delivers only its first result")
    func singleCreate() {
        let single = Single<Int>.create { observer in
            observer(.success(1))
            observer(.success(2))
            observer(.failure(TestError()))
            return Disposables.create()
        }
        #expect(result(single) == ["1", "disposed"])
        #expect(result(Single<Int>.error(TestError())) == ["error failed", "disposed"])
    }

    /// Logs the results of singles with their numbers.
    private final class Receiver: SingleReceiver {
        let log = Log<String>()

        func succeeded(_ value: Int, number: Int) { log.add("\(number): \(value)") }
        func failed(_ error: any Error, number: Int) { log.add("\(number): error \(error)") }
    }

    @Test("A receiver gets each result with its number once, and nothing after disposal")
    func singleReceiver() {
        let receiver = Receiver()
        let subject = PublishSubject<Int>()
        let waiting = subject.take(1).asSingle().subscribe(receiver, number: 7)
        _ = Single.just(1).subscribe(receiver, number: 8)
        _ = Single<Int>.error(TestError()).subscribe(receiver, number: 9)
        #expect(receiver.log.entries == ["8: 1", "9: error failed"])
        subject.onNext(2)
        subject.onNext(3)
        waiting.stop()
        #expect(receiver.log.entries == ["8: 1", "9: error failed", "7: 2"])
        let left = subject.asSingle().subscribe(receiver, number: 10)
        left.stop()
        #expect(!subject.hasObservers)
        subject.onNext(4)
        #expect(receiver.log.entries.count == 3)
    }

    @Test("Disposing a single cancels its work and reports nothing")
    func singleDisposed() {
        let log = Log<String>()
        let subscription = Single<Int>.create { _ in Disposables.create { log.add("cancelled") } }
            .subscribe(
                onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") },
                onDisposed: { log.add("disposed") })
        subscription.dispose()
        #expect(log.entries == ["cancelled", "disposed"])
    }

    @Test("Each operator on a single delivers exactly one result")
    func singleOperators() {
        let one = Single.just(1)
        let failing = Single<Int>.error(TestError())
        #expect(result(one.map { $0 + 1 }) == ["2", "disposed"])
        #expect(result(one.map { _ -> Int in throw TestError() }) == ["error failed", "disposed"])
        #expect(result(one.flatMap { .just($0 * 10) }) == ["10", "disposed"])
        #expect(result(one.flatMap { _ in failing }) == ["error failed", "disposed"])
        #expect(result(failing.catch { _ in .just(7) }) == ["7", "disposed"])
        #expect(result(failing.catchAndReturn(8)) == ["8", "disposed"])
        #expect(result(failing.retry(3)) == ["error failed", "disposed"])
        #expect(result(one.filter { $0 > 1 }) == ["nothing", "disposed"])
        #expect(result(one.compactMap { $0 }) == ["1", "disposed"])
        #expect(result(one.flatMapMaybe { _ in Maybe<Int>.empty() }) == ["nothing", "disposed"])
        #expect(result(one.flatMapCompletable { _ in .empty() }) == ["done", "disposed"])
        #expect(result(one.asCompletable()) == ["done", "disposed"])
        #expect(result(one.asMaybe()) == ["1", "disposed"])
        #expect(result(Single.deferred { Single.just(3) }) == ["3", "disposed"])
        #expect(result(Single<Int>.deferred { throw TestError() }) == ["error failed", "disposed"])
    }

    @Test("retry(0) and a completed notification stream fail a single with noElements")
    func singlePromise() {
        let failing = Single<Int>.error(TestError())
        let noElements = ["error Sequence doesn't contain any elements.", "disposed"]
        #expect(result(failing.retry(0)) == noElements)
        #expect(result(failing.retry { (_: Observable<any Error>) in Observable<Int>.empty() }) == noElements)
        #expect(result(Observable<Int>.empty().asSingle()) == noElements)
        #expect(result(Maybe<Int>.empty().asSingle()) == noElements)
    }

    @Test("The do operator runs a single's hooks around its result")
    func singleHooks() {
        let log = Log<String>()
        _ = Single.just(1)
            .do(
                onSuccess: { log.add("onSuccess \($0)") }, afterSuccess: { log.add("afterSuccess \($0)") },
                onSubscribe: { log.add("onSubscribe") }, onSubscribed: { log.add("onSubscribed") },
                onDispose: { log.add("onDispose") }
            )
            .subscribe(onSuccess: { log.add("success \($0)") })
        #expect(
            log.entries == [
                "onSubscribe", "onSuccess 1", "success 1", "afterSuccess 1", "onSubscribed", "onDispose",
            ])
    }

    @Test("zip of singles waits for all of them and fails with the first error")
    func singleZip() {
        #expect(result(Single.zip(.just(1), .just("a")) { "\($0)\($1)" }) == ["1a", "disposed"])
        #expect(result(Single.zip(.just(1), .just(2), .just(3)) { $0 + $1 + $2 }) == ["6", "disposed"])
        #expect(
            result(Single.zip(Single.just(1), Single.just("a")).map { "\($0)" }) == [
                #"(1, "a")"#, "disposed",
            ])
        #expect(result(Single.zip([.just(1), .just(2)])) == ["[1, 2]", "disposed"])
        #expect(result(Single<Int>.zip([])) == ["[]", "disposed"])
        #expect(
            result(Single.zip(.just(1), Single<Int>.error(TestError())) { $0 + $1 }) == [
                "error failed", "disposed",
            ])
    }

    @Test("timeout fails a single at its limit and cancels its work")
    func singleTimeout() {
        let scheduler = ManualScheduler()
        let log = Log<String>()
        let work = Single<Int>.create { _ in Disposables.create { log.add("cancelled") } }
        _ = work.timeout(.seconds(5), scheduler: scheduler)
            .subscribe(onFailure: { log.add("\($0)") })
        scheduler.advance(by: .milliseconds(4_999))
        #expect(log.entries == [])
        scheduler.advance(by: .milliseconds(1))
        #expect(log.entries == ["Sequence timeout.", "cancelled"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A maybe succeeds, fails or completes empty")
    func maybe() {
        func made(_ event: MaybeEvent<Int>) -> Maybe<Int> {
            .create { observer in
                observer(event)
                observer(.completed)
                return Disposables.create()
            }
        }
        #expect(result(made(.success(1))) == ["1", "disposed"])
        #expect(result(made(.error(TestError()))) == ["error failed", "disposed"])
        #expect(result(made(.completed)) == ["nothing", "disposed"])
        #expect(result(Maybe.just(1).map { $0 + 1 }.flatMap { .just($0 * 2) }) == ["4", "disposed"])
        #expect(result(Maybe.just(1).filter { _ in false }.catchAndReturn(3)) == ["nothing", "disposed"])
        #expect(result(Maybe.just(1).asCompletable()) == ["done", "disposed"])
    }

    @Test("andThen continues after a completable has completed")
    func completable() {
        let log = Log<String>()
        let first = Completable.create { observer in
            log.add("first")
            observer(.completed)
            return Disposables.create { log.add("first freed") }
        }
        #expect(
            result(first.andThen(Single.just(1).do(onSubscribe: { log.add("second") }))) == ["1", "disposed"])
        #expect(
            log.entries == ["first", "second", "first freed"]
                || log.entries == ["first", "first freed", "second"])
        #expect(result(Completable.empty().andThen(.empty())) == ["done", "disposed"])
        #expect(events(Completable.empty().andThen(Observable.of(1, 2))) == ["1", "2", "done"])
        #expect(
            result(Completable.error(TestError()).andThen(Single.just(1))) == ["error failed", "disposed"])
        #expect(result(Completable.error(TestError()).onErrorComplete()) == ["done", "disposed"])
    }

    @Test("An emitter begins once for each subscription, and is cancelled once at its end or on disposal")
    func emitter() {
        final class Call: Emitter<Int>, @unchecked Sendable {
            let log: Log<String>
            let answer: Int?

            init(_ log: Log<String>, answer: Int?) {
                self.log = log
                self.answer = answer
                super.init()
            }

            override func begin() {
                log.add("begin")
                if let answer { onLast(answer) }
            }

            override func copy() -> Emitter<Int> { Call(log, answer: answer) }

            override func cancel() { log.add("end") }
        }
        let log = Log<String>()
        let call = Call(log, answer: 1)
        let single = Single.emitting(call)
        #expect(result(single) == ["1", "disposed"])
        #expect(result(single) == ["1", "disposed"])
        #expect(log.entries == ["begin", "end", "begin", "end"])
        let silent = Log<String>()
        Single.emitting(Call(silent, answer: nil)).subscribe().dispose()
        #expect(silent.entries == ["begin", "end"])
    }

    @Test("An emitter reports its result to a receiver once, and nothing after disposal")
    func emitterWithReceiver() {
        final class Call: Emitter<Int>, @unchecked Sendable {
            // `running` is released after this emitter.
            unowned let running: Log<Call>
            let log: Log<String>

            init(_ running: Log<Call>, _ log: Log<String>) {
                self.running = running
                self.log = log
                super.init()
            }

            override func begin() { running.add(self) }
            override func copy() -> Emitter<Int> { Call(running, log) }
            override func cancel() { log.add("end") }
        }
        let receiver = Receiver()
        let running = Log<Call>()
        let log = Log<String>()
        let subscriptions = (1...3).map {
            Single.emitting(Call(running, log)).subscribe(receiver, number: $0)
        }
        let calls = running.entries
        #expect(calls.map(\.hasReceiver) == [true, true, true])
        calls[0].onLast(10)
        calls[0].onLast(11)
        calls[1].onError(TestError())
        subscriptions[2].stop()
        calls[2].onLast(30)
        #expect(receiver.log.entries == ["1: 10", "2: error failed"])
        #expect(log.entries == ["end", "end", "end"])
        // A retried emitter is replaced by a copy, which reports to its own step.
        let retried = Single.emitting(Call(running, log)).retry(2).subscribe(receiver, number: 4)
        running.entries[3].onError(TestError())
        running.entries[4].onLast(40)
        retried.stop()
        #expect(receiver.log.entries.last == "4: 40")
        // These emitters break a single's guarantee: one completes without a value, and one sends two values.
        for (number, isMapped) in [(5, false), (6, true)] {
            for reports in [
                { (call: Call) in call.onCompleted() },
                {
                    $0.onNext(50); $0.onNext(51); $0.onCompleted()
                },
            ] {
                let single = Single.emitting(Call(running, log))
                let subscription = (isMapped ? single.map { $0 } : single).subscribe(receiver, number: number)
                if let call = running.entries.last { reports(call) }
                subscription.stop()
            }
        }
        #expect(
            receiver.log.entries.suffix(4) == [
                "5: error Sequence doesn't contain any elements.", "5: 50",
                "6: error Sequence doesn't contain any elements.", "6: 50",
            ])
        #expect(log.entries.count == 9)
        withExtendedLifetime(running) {}
    }

    @Test("Retrying a failed emitter copies it, up to the given number of attempts")
    func emitterRetry() {
        final class Failing: Emitter<Int>, @unchecked Sendable {
            let log: Log<String>

            init(_ log: Log<String>) {
                self.log = log
                super.init()
            }

            override func begin() {
                log.add("begin")
                onError(TestError())
                onLast(1)
            }

            override func copy() -> Emitter<Int> { Failing(log) }
        }
        let log = Log<String>()
        #expect(result(Single.emitting(Failing(log)).retry(3)) == ["error failed", "disposed"])
        #expect(log.entries == ["begin", "begin", "begin"])
    }
}
