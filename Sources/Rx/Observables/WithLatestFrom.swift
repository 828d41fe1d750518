extension ObservableType {
    /// Combines each value with the latest value of `second` by `resultSelector`, and drops values before the
    /// first of `second`. The completion of `second` changes nothing. Its errors and errors thrown by
    /// `resultSelector` end the stream.
    @inlinable
    @preconcurrency
    public consuming func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Observable<Result> {
        WithLatestFrom(asObservable(), second.asObservable(), resultSelector)
    }

    /// Emits the latest value of `second`, if any, each time this stream emits.
    @inlinable
    public consuming func withLatestFrom<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Observable<Source.Element> {
        WithLatestFrom(asObservable(), second.asObservable()) { $1 }
    }
}

// Sound: only the gate's owner touches the mutable properties.
@usableFromInline
final class WithLatestFrom<In: Sendable, Second: Sendable, Out: Sendable>: GatedOperator<In, Out>,
    @unchecked Sendable
{
    private let second: Observable<Second>
    private let resultSelector: @Sendable (In, Second) throws -> Out
    private let other = LinkSlot()
    private var latest = ValueStorage<Second>()

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ second: Observable<Second>,
        _ resultSelector: @escaping @Sendable (In, Second) throws -> Out
    ) {
        self.second = second
        self.resultSelector = resultSelector
        super.init(source)
    }

    deinit {
        latest.destroy()
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, second, resultSelector)
    }

    /// Starts the second stream first, so that it can have a value when the source emits.
    override consuming func begin(_ source: consuming Observable<In>) {
        let me = self
        me.down.attach(me)
        let inner = WithLatestInner<In, Second, Out>(me)
        me.other.set(inner)
        startStream(me.second, Downstream(inner), before: .stream)
        guard !me.upstream.isClosed else { return }
        (consume source).run(Downstream(me))
    }

    override func ended(_ stops: inout DisposalStack) {
        other.close(&stops)
    }

    override func received(_ value: In) {
        guard latest.isFull else { return }
        do {
            down.next(try resultSelector(value, latest.value))
        } catch {
            end(error)
        }
    }

    fileprivate func keep(_ value: Second) {
        gate.run { self.latest.set(value) }
    }
}

// Sound: it adds only constants.
private final class WithLatestInner<In: Sendable, Second: Sendable, Out: Sendable>: ChildStep<Second>,
    @unchecked Sendable
{
    override func next(_ value: Second) {
        guard !upstream.isClosed else { return }
        parent.use(as: WithLatestFrom<In, Second, Out>.self) { $0.keep(value) }
    }

    override func failed(_ error: any Error) {
        parent.use(as: WithLatestFrom<In, Second, Out>.self) { $0.error(error) }
    }
}
