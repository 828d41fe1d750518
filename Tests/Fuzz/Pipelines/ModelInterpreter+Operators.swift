/// The model's operators with a single input.
extension ModelInterpreter {
    func timed(_ node: Node, _ source: Stream<Int>) -> Stream<Int>? {
        switch node {
        case .takeFor(let time): source.take(for: time)
        case .skipFor(let time): source.skip(for: time)
        case .debounce(let time): source.debounce(time)
        case .throttle(let time, let latest): source.throttle(time, latest: latest)
        case .delay(let time): source.delay(time)
        case .delaySubscription(let time): source.delaySubscription(time)
        case .timeout(let time): source.timeout(time, world.failed("timeout"))
        case .deadline(let time): source.timeout(at: time, world.failed("timeout"))
        case .observeOn: source.observeLater()
        case .subscribeOn: source.subscribeLater()
        case .buffer(let time, let count):
            source.buffer(time, count).map { values in number(of: values) }
        case .window(let time, let count, let first, let joining):
            joined(source.window(time, count), first, joining)
        case .groupBy(let predicate, let first, let joining):
            joined(source.group { value in try predicate(value) }, first, joining)
        default: nil
        }
    }

    private func joined(_ streams: Stream<Stream<Int>>, _ first: Int?, _ joining: Joining) -> Stream<Int> {
        let streams = first.map { streams.take($0) } ?? streams
        return streams.join(joining) { stream in stream }
    }

    func selected(_ node: Node, _ source: Stream<Int>) -> Stream<Int>? {
        switch node {
        case .distinctUntilChanged(let predicate):
            guard let predicate else { return source.distinct { value in value } }
            return source.distinct { value in try predicate(value) }
        case .take(let count): return source.take(count)
        case .takeWhile(let predicate, let inclusive):
            return source.take(while: predicate.callAsFunction, inclusive: inclusive)
        case .takeUntilPredicate(let predicate, let inclusive):
            return source.take(
                while: { value in try !predicate(value) }, inclusive: inclusive)
        case .takeLast(let count):
            return count < 0 ? world.failed("argumentOutOfRange") : source.takeLast(count)
        case .skip(let count): return source.skip(count)
        case .skipWhile(let predicate): return source.skip(while: predicate.callAsFunction)
        case .elementAt(let index): return source.element(at: index)
        case .startWith(let values): return source.start(with: values)
        case .ifEmptyDefault(let value): return source.ifEmpty(world.just(value))
        case .catchAndReturn(let value):
            return source.catching { _ in world.just(value) }
        case .retry(let attempts): return world.retry(source, attempts)
        case .first:
            return source.first().map { value in value ?? -1 }
        case .single(let predicate):
            guard let predicate else { return source.single { _ in true } }
            return source.single(predicate.callAsFunction)
        default: return nil
        }
    }

    func values(_ node: Node, _ source: Stream<Int>) -> Stream<Int> {
        switch node {
        case .map(let function): source.map(function.callAsFunction)
        case .filter(let predicate): source.filter(predicate.callAsFunction)
        case .compactMap(let predicate): source.filter(predicate.callAsFunction)
        case .scan(let function), .scanInto(let function):
            source.scan(0) { sum, value in try function(sum &+ value) }
        case .reduce(let function):
            source.reduce(0) { sum, value in try function(sum &+ value) }
        case .toArray: source.toArray().map { values in number(of: values) }
        case .materialize:
            source.materialize().map { note in number(of: note.signal) }
        case .dematerialize(let rest):
            source.dematerialize { embeddedSignal($0, stopsAt: rest).note }
        case .enumerated:
            source.enumerated().map { pair in pair.0 &* 100 &+ pair.1 }
        case .ignoreElements: source.ignoreElements()
        case .asSingle: source.asSingle(orError: "noElements")
        case .asMaybe: source.asSingle(orError: nil)
        case .asResult: source.asResult().map { note in number(of: note.signal) }
        case .doing(let function):
            source.doing { value in _ = try function(value) }
        default: fatalError("the model does not implement \(node)")
        }
    }
}

extension Note<Int> {
    var signal: Signal {
        switch self {
        case .next(let value): .next(value)
        case .stop(.error(let name)): .error(name)
        case .stop(.completed): .completed
        }
    }
}

/// The event that `dematerialize` reads from a number.
func embeddedSignal(_ value: Int, stopsAt rest: Int) -> Signal {
    guard value.remainder(by: 5) == rest else { return .next(value) }
    return value.remainder(by: 2) == 0 ? .completed : .error("embedded")
}
