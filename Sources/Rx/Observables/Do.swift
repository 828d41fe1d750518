extension ObservableType {
    /// Calls the `on...` hooks before and the `after...` hooks after forwarding an event, and `onSubscribe`
    /// and `onSubscribed` before and after subscribing to the source. `onDispose` runs last, after the end or
    /// disposal. If a hook throws, the stream ends with that error, unless it has already ended.
    @inlinable
    @preconcurrency
    public consuming func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        Do(
            asObservable(),
            DoHooks(
                onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                onSubscribed: onSubscribed, onDispose: onDispose))
    }
}

@usableFromInline
struct DoHooks<Element: Sendable>: Sendable {
    let onNext: (@Sendable (Element) throws -> Void)?
    let afterNext: (@Sendable (Element) throws -> Void)?
    let onError: (@Sendable (any Error) throws -> Void)?
    let afterError: (@Sendable (any Error) throws -> Void)?
    let onCompleted: (@Sendable () throws -> Void)?
    let afterCompleted: (@Sendable () throws -> Void)?
    let onSubscribe: (@Sendable () -> Void)?
    let onSubscribed: (@Sendable () -> Void)?
    let onDispose: (@Sendable () -> Void)?

    @usableFromInline
    init(
        onNext: (@Sendable (Element) throws -> Void)?, afterNext: (@Sendable (Element) throws -> Void)?,
        onError: (@Sendable (any Error) throws -> Void)?,
        afterError: (@Sendable (any Error) throws -> Void)?,
        onCompleted: (@Sendable () throws -> Void)?, afterCompleted: (@Sendable () throws -> Void)?,
        onSubscribe: (@Sendable () -> Void)?, onSubscribed: (@Sendable () -> Void)?,
        onDispose: (@Sendable () -> Void)?
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
        self.onSubscribe = onSubscribe
        self.onSubscribed = onSubscribed
        self.onDispose = onDispose
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Do<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let hooks: DoHooks<Element>
    /// `onDispose` waits for both the start to return and the stream to end.
    private let startAndEnd = StartEndLatch()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ hooks: DoHooks<Element>) {
        self.hooks = hooks
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, hooks)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        me.hooks.onSubscribe?()
        (consume source).run(Downstream(me))
        me.hooks.onSubscribed?()
        if me.startAndEnd.start() { me.hooks.onDispose?() }
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        stops.pushStopped(self)
        source.stop(&stops)
    }

    override func stopped(_ stops: inout DisposalStack) {
        if startAndEnd.end() { hooks.onDispose?() }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        do {
            try hooks.onNext?(value)
            down.next(value)
            try hooks.afterNext?(value)
        } catch {
            fail(error)
        }
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        do {
            try hooks.onError?(error)
            down.error(error)
            try? hooks.afterError?(error)
        } catch {
            down.error(error)
        }
        stop()
    }

    override func completed() {
        guard upstream.end() else { return }
        do {
            try hooks.onCompleted?()
            down.completed()
            try? hooks.afterCompleted?()
        } catch {
            down.error(error)
        }
        stop()
    }

    /// Ends the stream with a hook's error, without calling `onError` or `afterError`.
    private func fail(_ error: any Error) {
        guard upstream.end() else { return }
        down.error(error)
        stop()
    }
}
