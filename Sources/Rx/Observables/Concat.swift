extension ValueStreamType {
    /// Emits the values of this stream, then the values of `second`.
    @inlinable
    public consuming func concat<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> DerivedStream where Source.Element == Element {
        Self.derived(from: Concat([asObservable(), second.asObservable()]))
    }
}

extension ValueStreamType where DerivedStream: ObservableConvertibleType, DerivedStream.Element == Element {
    /// Emits the values of all sources, subscribing to each when the previous one completes. The first error
    /// ends the stream. The iterator advances only when the next source is needed, so the sequence may be
    /// infinite.
    @inlinable
    public static func concat<Sources: Sequence & Sendable>(
        _ sequence: Sources
    ) -> DerivedStream where Sources.Element == DerivedStream {
        derived(
            from: Concat {
                var iterator = sequence.makeIterator()
                return ConcatParts(next: { iterator.next()?.asObservable() }, remaining: nil)
            })
    }

    /// Emits the values of all sources, one source after the other. The first error ends the stream.
    @inlinable
    public static func concat<Sources: Collection & Sendable>(
        _ collection: Sources
    ) -> DerivedStream where Sources.Element == DerivedStream {
        derived(
            from: Concat {
                var iterator = collection.makeIterator()
                return ConcatParts(
                    next: { iterator.next()?.asObservable() }, remaining: collection.count)
            })
    }

    /// Emits the values of all sources, subscribing to each when the previous one completes. The first error
    /// ends the stream.
    @inlinable
    public static func concat(_ sources: DerivedStream...) -> DerivedStream {
        derived(from: Concat(sources.map { $0.asObservable() }))
    }
}

/// The remaining sources of one concatenation.
@usableFromInline
final class ConcatParts<Element: Sendable> {
    private let pull: () -> Observable<Element>?
    /// The number of remaining sources; nil if unknown.
    private(set) var remaining: Int?

    @usableFromInline
    init(next: @escaping () -> Observable<Element>?, remaining: Int?) {
        pull = next
        self.remaining = remaining
    }

    func next() -> Observable<Element>? {
        guard remaining != 0 else { return nil }
        if let remaining { self.remaining = remaining - 1 }
        return pull()
    }
}

/// Runs its sources in a loop. If a source is itself a concatenation, its sources are pushed onto `stack`
/// instead of subscribing to it, so recursive concatenation runs in constant call depth.
// Sound: only the caller that runs the start loop touches `stack`.
@usableFromInline
final class Concat<Element: Sendable>: StartingOperator<Element>, @unchecked Sendable {
    /// Fixed sources. Empty if `makeParts` supplies them per subscription.
    private var sources: [Observable<Element>]
    private let makeParts: (@Sendable () -> ConcatParts<Element>)?
    private let starts = RerunLoop()
    private var stack: [ConcatParts<Element>] = []

    @usableFromInline
    convenience init(_ makeParts: @escaping @Sendable () -> ConcatParts<Element>) {
        self.init([], makeParts)
    }

    @usableFromInline
    convenience init(_ sources: [Observable<Element>]) {
        self.init(sources, nil)
    }

    private init(_ sources: [Observable<Element>], _ makeParts: (@Sendable () -> ConcatParts<Element>)?) {
        self.sources = sources
        self.makeParts = makeParts
        super.init(.never())
    }

    deinit {
        // Drops the iterators first. They share these sources, and `Link.free` skips shared links.
        stack = []
        while !sources.isEmpty { Link.free(sources.popLast()) }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        for source in sources { others.append(source) }
        sources = []
        return super.unlink(&others)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(sources, makeParts)
    }

    override var concatenated: ConcatParts<Element>? { parts }

    private var parts: ConcatParts<Element> {
        if let makeParts { return makeParts() }
        var iterator = sources.makeIterator()
        return ConcatParts(next: { iterator.next() }, remaining: sources.count)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        me.stack = [me.parts]
        me.start()
    }

    private func start() {
        starts.run {
            guard !upstream.isClosed else { return }
            guard let source = next() else { return super.completed() }
            start(source, isLast: stack.count == 1 && stack[0].remaining == 0)
        }
    }

    private func next() -> Observable<Element>? {
        while let parts = stack.last {
            guard let source = parts.next() else {
                stack.removeLast()
                continue
            }
            guard let inner = source.concatenated else { return source }
            if parts.remaining == 0 { stack.removeLast() }
            stack.append(inner)
        }
        return nil
    }

    override func completed() {
        guard !upstream.isClosed else { return }
        upstream.clear()
        start()
    }
}
