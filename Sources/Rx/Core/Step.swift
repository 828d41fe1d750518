/// A step that takes `In` and sends `Out`.
@usableFromInline
class Step<In: Sendable, Out: Sendable>: Observable<Out>, Receiver, @unchecked Sendable {
    @usableFromInline
    override init() {
        super.init()
    }

    func next(_ value: In) {}

    func last(_ value: In) {
        next(value)
        completed()
    }
}

/// A step with one source. As it stands it is stateless and forwards everything but the values.
///
/// A subclass is the description and the running step in one: it implements `copy()` (a fresh one without
/// source) and the events.
@usableFromInline
class Operator<In: Sendable, Out: Sendable>: Step<In, Out>, @unchecked Sendable {
    @exclusivity(unchecked)
    private var source: Observable<In>?

    @usableFromInline
    init(_ source: consuming Observable<In>?) {
        self.source = source
        super.init()
    }

    /// The same operator without its source: what a further subscription runs.
    func copy() -> Operator<In, Out> {
        self
    }

    /// Starts the source; `down` is set. Steps that act around the start override it.
    func begin(_ source: consuming Observable<In>) {
        type(of: source).run(source, Port(self))
    }

    override final class func run(_ step: consuming Observable<Out>, _ port: consuming Port<Out>) {
        var link: Link = step
        // Uniqueness is asked through the non-generic root: no metadata is looked up for it.
        if isKnownUniquelyReferenced(&link) {
            let step = unsafeDowncast(link, to: Operator<In, Out>.self)
            guard let source = step.source else {
                // A weak reference resurrected a step that already runs.
                port.error(RxError.disposed(object: step))
                return
            }
            step.source = nil
            step.down = port
            step.begin(source)
        } else {
            let original = unsafeDowncast(link, to: Operator<In, Out>.self)
            guard let source = original.source else {
                port.error(RxError.disposed(object: original))
                return
            }
            let step = original.copy()
            step.down = port
            step.begin(source)
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
