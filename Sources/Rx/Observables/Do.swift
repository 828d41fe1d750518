extension ObservableType {
    /// Calls the hooks as the events pass: `on...` before an event is forwarded, `after...` after it was.
    ///
    /// A hook that throws replaces the event by its error. `onSubscribe` and `onSubscribed` run around the subscription to
    /// the source; `onDispose` once it has ended and was disposed.
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
    /// Both come before `onDispose`.
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

    override func stop() {
        if upstream.closeAndStop(), startAndEnd.end() { hooks.onDispose?() }
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

    /// A hook threw: its error is the end, no hook is called for it.
    private func fail(_ error: any Error) {
        guard upstream.end() else { return }
        down.error(error)
        stop()
    }
}
