import Dispatch
import FoundationEssentials
import Rx
import RxTesting

/// Rx's operators for each node.
extension RxInterpreter {
    func joined(_ node: Node, _ inputs: [Observable<Int>]) -> Observable<Int> {
        switch node {
        case .merge: return .merge(inputs)
        case .concat: return .concat(inputs)
        case .ambAll: return .amb(inputs)
        case .catchSequence: return .catch(sequence: inputs)
        case .combineLatestAll(let function):
            return .combineLatest(inputs) { try function(number(of: $0)) }
        case .zipAll(let function): return .zip(inputs) { try function(number(of: $0)) }
        case .combineLatest(let function):
            guard inputs.count > 2 else {
                return .combineLatest(inputs[0], inputs[1]) { try function(number(of: [$0, $1])) }
            }
            return .combineLatest(inputs[0], inputs[1], inputs[2]) { try function(number(of: [$0, $1, $2])) }
        case .zip(let function):
            guard inputs.count > 2 else {
                return .zip(inputs[0], inputs[1]) { try function(number(of: [$0, $1])) }
            }
            return .zip(inputs[0], inputs[1], inputs[2]) { try function(number(of: [$0, $1, $2])) }
        default: break
        }
        guard let source = inputs.first else { return .empty() }
        return two(node, source, inputs.last ?? source) ?? timed(node, source) ?? selected(node, source)
            ?? values(node, source)
    }

    private func two(_ node: Node, _ source: Observable<Int>, _ other: Observable<Int>) -> Observable<Int>? {
        switch node {
        case .takeUntil: source.take(until: other)
        case .skipUntil: source.skip(until: other)
        case .sample(let value): source.sample(other, defaultValue: value)
        case .ifEmptySwitch: source.ifEmpty(switchTo: other)
        case .withLatestFrom(let function): source.withLatestFrom(other) { try function($0 &* 3 &+ $1) }
        case .amb: source.amb(other)
        case .catching(let throwing):
            source.catch { _ in
                if throwing { throw ClosureError() }
                return other
            }
        case .timeoutOther(let time): source.timeout(.seconds(time), other: other, scheduler: scheduler)
        case .deadlineOther(let time):
            source.timeout(
                at: RxTime(timeIntervalSince1970: Double(time)), other: other, scheduler: scheduler)
        case .concatWith: source.concat(other)
        case .retryWhen(let trigger):
            source.retry(when: { (errors: Observable<any Error>) in self.trigger(trigger, errors, other) })
        default: nil
        }
    }

    private func trigger(
        _ trigger: RetryTrigger, _ errors: Observable<any Error>, _ other: Observable<Int>
    ) -> Observable<Int> {
        switch trigger {
        case .times(let count):
            errors.enumerated().map { index, error in
                if index >= count { throw error }
                return index
            }
        case .after(let time, let count):
            errors.enumerated().flatMap { index, error -> Observable<Int> in
                index < count ? .timer(.seconds(time), scheduler: scheduler) : .error(error)
            }
        case .take(let count): errors.take(count).map { _ in 0 }
        case .stream: errors.take(3).flatMap { _ in other }
        case .beside: other
        }
    }

    private func timed(_ node: Node, _ source: Observable<Int>) -> Observable<Int>? {
        switch node {
        case .takeFor(let time): source.take(for: .seconds(time), scheduler: scheduler)
        case .skipFor(let time): source.skip(.seconds(time), scheduler: scheduler)
        case .debounce(let time): source.debounce(.seconds(time), scheduler: scheduler)
        case .throttle(let time, let latest):
            source.throttle(.seconds(time), latest: latest, scheduler: scheduler)
        case .delay(let time): source.delay(.seconds(time), scheduler: scheduler)
        case .delaySubscription(let time): source.delaySubscription(.seconds(time), scheduler: scheduler)
        case .timeout(let time): source.timeout(.seconds(time), scheduler: scheduler)
        case .deadline(let time):
            source.timeout(at: RxTime(timeIntervalSince1970: Double(time)), scheduler: scheduler)
        case .observeOn: source.observe(on: scheduler)
        case .subscribeOn: source.subscribe(on: scheduler)
        case .buffer(let time, let count):
            source.buffer(timeSpan: .seconds(time), count: count, scheduler: scheduler)
                .map { number(of: $0) }
        case .window(let time, let count, let first, let joining):
            joined(
                source.window(timeSpan: .seconds(time), count: count, scheduler: scheduler), first, joining)
        case .groupBy(let predicate, let first, let joining):
            joined(source.groupBy { try predicate($0) }, first, joining)
        default: nil
        }
    }

    private func joined<Inner: ObservableConvertibleType & Sendable>(
        _ streams: Observable<Inner>, _ first: Int?, _ joining: Joining
    ) -> Observable<Int> where Inner.Element == Int {
        let streams = first.map { streams.take($0) } ?? streams
        return switch joining {
        case .merge: streams.merge()
        case .latest: streams.switchLatest()
        case .first: streams.flatMapFirst { $0 }
        case .concat: streams.concat()
        case .limited(let count): streams.merge(maxConcurrent: count)
        case .lazilyLimited(let count): streams.flatMap(maxConcurrent: count) { $0 }
        }
    }

    private func selected(_ node: Node, _ source: Observable<Int>) -> Observable<Int>? {
        switch node {
        case .distinctUntilChanged(let predicate):
            guard let predicate else { return source.distinctUntilChanged() }
            return source.distinctUntilChanged { try predicate($0) }
        case .take(let count): return source.take(count)
        case .takeWhile(let predicate, let inclusive):
            return source.take(
                while: { try predicate($0) }, behavior: inclusive ? .inclusive : .exclusive)
        case .takeUntilPredicate(let predicate, let inclusive):
            return source.take(
                until: { try predicate($0) }, behavior: inclusive ? .inclusive : .exclusive)
        case .takeLast(let count): return source.takeLast(count)
        case .skip(let count): return source.skip(count)
        case .skipWhile(let predicate): return source.skip(while: { try predicate($0) })
        case .elementAt(let index): return source.element(at: index)
        case .startWith(let values):
            return values.reversed().reduce(source) { $0.startWith($1) }
        case .ifEmptyDefault(let value): return source.ifEmpty(default: value)
        case .catchAndReturn(let value): return source.catchAndReturn(value)
        case .retry(let attempts): return source.retry(attempts)
        case .first: return source.first().asObservable().map { $0 ?? -1 }
        case .single(let predicate):
            guard let predicate else { return source.single() }
            return source.single { try predicate($0) }
        default: return nil
        }
    }

    private func values(_ node: Node, _ source: Observable<Int>) -> Observable<Int> {
        switch node {
        case .map(let function): source.map { try function($0) }
        case .filter(let predicate): source.filter { try predicate($0) }
        case .compactMap(let predicate): source.compactMap { try predicate($0) ? $0 : nil }
        case .scan(let function): source.scan(0) { try function($0 &+ $1) }
        case .scanInto(let function): source.scan(into: 0) { $0 = try function($0 &+ $1) }
        case .reduce(let function): source.reduce(0) { try function($0 &+ $1) }
        case .toArray: source.toArray().asObservable().map { number(of: $0) }
        case .materialize: source.materialize().map { number(of: $0.signal) }
        case .dematerialize(let rest): source.map { embeddedSignal($0, stopsAt: rest).event }.dematerialize()
        case .enumerated: source.enumerated().map { $0 &* 100 &+ $1 }
        case .ignoreElements: source.ignoreElements().map { _ -> Int in }
        case .asSingle: source.asSingle().asObservable()
        case .asMaybe: source.asMaybe().asObservable()
        case .asResult:
            source.asResult().map { result in
                switch result {
                case .success(let value): number(of: .next(value))
                case .failure(let error): number(of: .error(name(of: error)))
                }
            }
        case .doing(let function): source.do(onNext: { _ = try function($0) })
        default: fatalError("Rx has no operator for \(node)")
        }
    }
}
