// Sound: it adds only constants.
@usableFromInline
class Step<In: Sendable, Out: Sendable>: Observable<Out>, @unchecked Sendable {
    @usableFromInline
    @inline(__always)
    override init() {
        super.init()
    }

    func next(_ value: In) {}

    func last(_ value: In) {
        next(value)
        completed()
    }
}

/// A step with one source. By default it is stateless and forwards everything but values. A subclass is both
/// the description and the running step. It overrides `copy()` and the event methods.
// Sound: `source` is taken before the step runs.
@usableFromInline
class Operator<In: Sendable, Out: Sendable>: Step<In, Out>, @unchecked Sendable {
    /// An `Observable<In>`, stored as its non-generic root so that moving it out looks up no metadata.
    // Unchecked for the row "six map+filter, a subscription" of RxBench.
    @exclusivity(unchecked)
    private var source: Link?

    @usableFromInline
    @inline(__always)
    init(_ source: consuming Observable<In>?) {
        self.source = source
        super.init()
    }

    deinit {
        if source != nil { Link.free(source.take()) }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        guard let source = source.take() else { return down.takeLink() }
        // A running copy of an operator with sources of its own has both.
        if let below = down.takeLink() { others.append(below) }
        return source
    }

    /// The source; nil once the step runs.
    final var pendingSource: Observable<In>? {
        // Sound: `source` is set to an `Observable<In>` only.
        source.map { unsafeDowncast($0, to: Observable<In>.self) }
    }

    /// Returns a fresh operator without a source, for a further subscription.
    func copy() -> Operator<In, Out> {
        self
    }

    /// Starts the source towards this step. `down` is already set.
    consuming func begin(_ source: consuming Observable<In>) {
        (consume source).run(Downstream(self))
    }

    override final consuming func run(_ port: consuming Downstream<Out>) {
        // Checking uniqueness through the non-generic root looks up no metadata.
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        // Sound: it is this object.
        // Unchecked, like the accesses to `source`, for the row "six map+filter, a subscription" of RxBench.
        let step = unsafeDowncast(consume link, to: Operator<In, Out>.self)
        if isAlone {
            // A step without a source already runs: a weak reference has resurrected it.
            // Sound, here and below: `source` is set to an `Observable<In>` only.
            guard let source = step.source.take() else {
                return port.error(RxError.disposed(object: step))
            }
            step.down.takeStep(of: consume port)
            (consume step).begin(unsafeDowncast(consume source, to: Observable<In>.self))
        } else {
            guard let source = step.source else { return port.error(RxError.disposed(object: step)) }
            let copy = step.copy()
            copy.down.takeStep(of: consume port)
            (consume copy).begin(unsafeDowncast(consume source, to: Observable<In>.self))
        }
    }

    override func attach(_ upstream: Link) {
        down.attach(upstream)
    }

    override func error(_ error: any Error) {
        down.error(error)
    }

    override func completed() {
        down.completed()
    }
}
