import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// The starts of parts, and what they report.
extension EndpointRun {
    /// Starts a part. Returns its subscription.
    @inline(__always)
    func begin(
        _ source: consuming Part.Source, _ number: Int,
        for receiver: (any SingleReceiver<JSONFragment>)? = nil
    ) -> Link? {
        // Moved at every step: a uniquely held source runs in place instead of being copied.
        switch consume source {
        case .single(let part):
            guard part.isOneCall, !isTimed, receiver == nil else {
                return subscribe(consume part, number, for: receiver)
            }
            return (consume part).subscribe(self, number: number)
        case .task(let work): return subscribe(PartSource.task(work, on: taskExecutor), number, for: receiver)
        case .items(let work): return subscribe(toItems: work, number)
        case .ended(let part):
            ended(part, number)
            return nil
        }
    }

    /// The part has ended before, or with the failure of another one.
    private func ended(_ part: EndedPart, _ number: Int) {
        if let unexpected = part.outcome.failure?.unexpected { report(unexpected, part: part.name) }
        if let own = part.number { context.moveCalls(ofPart: own, to: number) }
        partEnded(number, part.outcome)
    }

    /// Subscribes to a part in a context that attributes its calls to the part.
    @inline(never)
    func subscribe(
        _ part: consuming Single<JSONFragment>, _ number: Int,
        for receiver: (any SingleReceiver<JSONFragment>)? = nil
    ) -> Link? {
        let context = beginContext(ofPart: number)
        // Moved, as in `start`.
        var source: Single<JSONFragment>? = part
        return CallContext.$current.withValue(context) {
            source.take()?.subscribe(receiver ?? self, number: number)
        }
    }

    /// Returns the context that attributes calls to a part that begins now.
    private func beginContext(ofPart number: Int) -> CallContext {
        let context = context.forPart(number)
        if isTimed { context.withTimeline { $0.began(number, at: moment) } }
        return context
    }

    /// Begins the calls for the elements of an array. Such a part is never started alone for an open circuit,
    /// so no other receiver has to be told.
    @inline(never)
    private func subscribe(toItems work: ItemsWork, _ number: Int) -> Link? {
        let context = beginContext(ofPart: number)
        let environment = PartEnvironment(
            transport: responder.environment.transport,
            workApart: responder.environment.responseWorkApart, context: context)
        return CallContext.$current.withValue(context) {
            work(environment, endpoint.settings.revealsUpstreamMessages)
                .subscribe(ItemsReceiver(self), number: number)
        }
    }

    fileprivate func itemsEnded(_ end: ItemsEnd, _ number: Int) {
        // The first one stands for all: an endpoint's fault is often the same for each element.
        for item in end.failures {
            guard let unexpected = item.failure.unexpected else { continue }
            let name = state.withLock { $0.name(of: number) } ?? ""
            report(unexpected, part: "\(name)[\(item.index)]")
            break
        }
        partEnded(number, PartOutcome(end, elapsed: elapsedOfParts))
    }
}

/// Receives the end of a part that has called for each element of an array.
private final class ItemsReceiver: SingleReceiver {
    private let run: EndpointRun

    init(_ run: EndpointRun) { self.run = run }

    var subscriberContext: ObjectIdentifier? { run.subscriberContext }

    func succeeded(_ value: consuming ItemsEnd, number: Int) { run.itemsEnded(value, number) }

    func failed(_ error: any Error, number: Int) { run.failed(error, number: number) }
}

extension EndpointRun: SingleReceiver {
    var subscriberContext: ObjectIdentifier? { ObjectIdentifier(context) }

    func succeeded(_ value: consuming JSONFragment, number: Int) {
        partEnded(number, PartOutcome(value, elapsed: elapsedOfParts))
    }

    func failed(_ error: any Error, number: Int) {
        if let part = error as? EndedPart { return ended(part, number) }
        let elapsed = elapsedOfParts
        let outcome = PartOutcome(
            error: error, elapsed: elapsed, ownElapsed: ownElapsed(of: number, elapsed),
            reveals: endpoint.settings.revealsUpstreamMessages, after: context.calls(ofPart: number))
        if let unexpected = outcome.failure?.unexpected {
            report(unexpected, part: state.withLock { $0.name(of: number) })
        }
        partEnded(number, outcome)
    }
}
