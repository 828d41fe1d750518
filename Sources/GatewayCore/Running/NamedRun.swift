import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// A part of a pipeline that is in progress.
protocol PipelinePart: AnyObject, Sendable {
    /// Stops a call that is the part by itself, so that the record has what it has done.
    func giveUp()

    /// Ends the part. Its source is disposed.
    func end(with outcome: EndedPart)
}

/// A part's place in the request's record.
struct PipelinePlace {
    let parts: PipelineParts
    let number: Int
    /// When the part began, in nanoseconds since the request's start.
    let began: Int64

    /// Nil outside a request.
    init?(_ name: String, _ policy: Part.Policy, in context: CallContext, _ run: any PipelinePart) {
        guard let parts = context.resource(of: PipelineParts.self) as? PipelineParts else { return nil }
        self.parts = parts
        began = parts.now
        number = parts.begin(name, policy, run, at: began)
    }

    /// Returns a context that attributes calls to the part. If there is a timeline, the calls appear there
    /// under the part.
    func context(_ context: CallContext, _ name: String) -> CallContext {
        let own = context.forPart(number)
        if own.isTimed {
            own.withTimeline {
                $0.plan(name, number)
                $0.began(number, at: parts.moment)
            }
        }
        return own
    }
}

/// What a named part of a pipeline is doing.
private struct NamedWork {
    /// Nil outside a request.
    var place: PipelinePlace?
    /// Whether it has reported a value or, as a call, its end.
    var hasResult = false
    var subscription: (any Disposable)?
    /// A call that is the part by itself, until it begins.
    var source: Single<JSONFragment>?
    /// The call once it has begun.
    var call: Link?
    /// The context in which the part began.
    var outer: CallContext?
    /// The context of the part's calls.
    var context: CallContext?
}

/// The name and the policy of a part, and what its runs have in common.
private struct PartName {
    let name: String
    let policy: Part.Policy

    /// Records the outcome.
    func ended(_ outcome: PartOutcome, at place: PipelinePlace?) -> EndedPart {
        guard let place else { return EndedPart(name: name, policy: policy, outcome: outcome, number: nil) }
        var outcome = outcome
        outcome.began = place.began
        let ended = EndedPart(name: name, policy: policy, outcome: outcome, number: place.number)
        place.parts.end(ended)
        if let context = CallContext.current, context.isTimed {
            context.withTimeline { $0.ended(place.number, outcome.kind, at: place.parts.moment) }
        }
        return ended
    }

    func ended(_ value: JSONFragment, at place: PipelinePlace?) -> EndedPart {
        ended(PartOutcome(value, elapsed: place?.elapsed ?? 0), at: place)
    }

    func ended(_ error: any Error, at place: PipelinePlace?) -> EndedPart {
        let calls = place.flatMap { place in CallContext.current?.calls(ofPart: place.number) }
        return ended(
            PartOutcome(
                error: error, elapsed: place?.elapsed ?? 0, reveals: place?.parts.reveals ?? false,
                after: calls),
            at: place)
    }
}

extension PipelinePlace {
    /// Nanoseconds since the part began.
    fileprivate var elapsed: Int64 { parts.now - began }
}

/// One subscription to a named part of a pipeline. Each value of its source becomes a result; so do a
/// failure, which is the last one, and the end of a source without values.
// Sound: it adds only constants.
final class NamedRun<Value: JSONRepresentable>: Emitter<PartResult<Value>>, PipelinePart, @unchecked Sendable
{
    private let name: PartName
    private let source: Observable<Value>
    private let work = Lock(NamedWork())

    init(_ name: String, _ policy: Part.Policy, _ source: Observable<Value>) {
        self.name = PartName(name: name, policy: policy)
        self.source = source
        super.init()
    }

    override func copy() -> Emitter<PartResult<Value>> { NamedRun(name.name, name.policy, source) }

    override func begin() {
        guard let context = CallContext.current,
            let place = PipelinePlace(name.name, name.policy, in: context, self)
        else { return follow() }
        work.withLock { $0.place = place }
        CallContext.$current.withValue(place.context(context, name.name)) { follow() }
    }

    private func follow() {
        let subscription = source.subscribe(
            onNext: { [self] in received($0) },
            onError: { [self] error in
                onLast(PartResult(ended: name.ended(error, at: place), result: .failure(error)))
            },
            onCompleted: { [self] in completed() })
        work.withLock { $0.subscription = subscription }
    }

    override func cancel() {
        let (place, subscription) = work.withLock { ($0.place, $0.subscription.take()) }
        if let place { place.parts.drop(place.number) }
        subscription?.dispose()
    }

    func giveUp() {}

    func end(with outcome: EndedPart) {
        onLast(PartResult(ended: outcome, result: .failure(outcome)))
    }

    private var place: PipelinePlace? { work.withLock { $0.place } }

    private func received(_ value: Value) {
        work.withLock { $0.hasResult = true }
        let ended: EndedPart
        do {
            ended = name.ended(try value.jsonFragment(), at: place)
        } catch {
            ended = name.ended(error, at: place)
        }
        onNext(PartResult(ended: ended, result: .success(value)))
    }

    private func completed() {
        guard !work.withLock({ $0.hasResult }) else { return onCompleted() }
        onLast(PartResult(ended: name.ended(.null, at: place), result: .failure(RxError.noElements)))
    }
}

/// One subscription to a named part that is a call with `fragment()`, which reports to it without a
/// subscriber between them.
// Apart from `NamedRun`, because the methods of a generic class look up metadata. Sound: it adds only
// constants.
final class NamedCallRun: Emitter<PartResult<JSONFragment>>, PipelinePart, SingleReceiver, @unchecked Sendable
{
    private let name: PartName
    private let work: Lock<NamedWork>

    init(_ name: String, _ policy: Part.Policy, _ source: consuming Single<JSONFragment>) {
        self.name = PartName(name: name, policy: policy)
        work = Lock(NamedWork(source: source))
        super.init()
    }

    override func copy() -> Emitter<PartResult<JSONFragment>> {
        NamedCallRun(name.name, name.policy, work.withLock { $0.source } ?? .error(RxError.unknown))
    }

    /// Moves the call out, so that it runs in place, unless a copy may need it. Called once.
    private func takeSource() -> Single<JSONFragment> {
        work.withLock { work in isCopied ? work.source : work.source.take() } ?? .error(RxError.unknown)
    }

    override func begin() {
        guard let outer = CallContext.current,
            let place = PipelinePlace(name.name, name.policy, in: outer, self)
        else { return followOutsideRequest() }
        let own = place.context(outer, name.name)
        work.withLock {
            $0.place = place
            $0.outer = outer
            $0.context = own
        }
        // The call takes its number from its receiver, and needs the part's context only for the timeline.
        let call =
            outer.isTimed
            ? CallContext.$current.withValue(own) { takeSource().subscribe(self, number: place.number) }
            : takeSource().subscribe(self, number: place.number)
        // Unless it has ended by now: then the two would keep each other.
        work.withLock { if !$0.hasResult { $0.call = call } }
    }

    private func followOutsideRequest() {
        let subscription = takeSource().subscribe(
            onSuccess: { [self] in succeeded($0, number: 0) }, onFailure: { [self] in failed($0, number: 0) })
        work.withLock { if !$0.hasResult { $0.subscription = subscription } }
    }

    override func cancel() {
        // Nearly always after its end.
        guard !work.withLock({ $0.hasResult }) else { return }
        if let place = work.withLock({ $0.place }) { place.parts.drop(place.number) }
        giveUp()
    }

    func giveUp() {
        let (call, subscription) = work.withLock { ($0.call.take(), $0.subscription.take()) }
        call?.stop()
        subscription?.dispose()
    }

    func end(with outcome: EndedPart) {
        onLast(PartResult(ended: outcome, result: .failure(outcome)))
    }

    var subscriberContext: ObjectIdentifier? { work.withLock { $0.outer }.map(ObjectIdentifier.init) }

    static var keepsLinks: Bool { false }

    func succeeded(_ value: consuming JSONFragment, number: Int) {
        let (place, context) = endCall()
        let value = value
        deliver(in: context) {
            PartResult(ended: name.ended(value, at: place), result: .success(value))
        }
    }

    func failed(_ error: any Error, number: Int) {
        let (place, context) = endCall()
        deliver(in: context) {
            PartResult(ended: name.ended(error, at: place), result: .failure(error))
        }
    }

    /// Releases the call, which is in progress until it has reported.
    private func endCall() -> (PipelinePlace?, CallContext?) {
        work.withLock { work in
            work.hasResult = true
            (work.call, work.subscription) = (nil, nil)
            return (work.place, work.context)
        }
    }

    /// Reports the result in the part's context, as a call does, for calls that the pipeline makes with it.
    private func deliver(in context: CallContext?, _ result: () -> PartResult<JSONFragment>) {
        guard let context else { return onLast(result()) }
        CallContext.$current.withValue(context) { onLast(result()) }
    }
}
