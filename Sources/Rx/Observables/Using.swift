extension ObservableType {
    /// Makes a resource for each subscription and subscribes to the stream that `observableFactory` returns
    /// for it. When that stream ends or the subscription is disposed, the resource is disposed last. If a
    /// factory throws, the stream fails with that error.
    @inlinable
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Using {
            let resource = try resourceFactory()
            do {
                return (resource, try observableFactory(resource))
            } catch {
                return (resource, .error(error))
            }
        }
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Using<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    @usableFromInline typealias Factory = @Sendable () throws -> (any Disposable, Observable<Element>)

    private let factory: Factory
    private let resource = SingleAssignmentDisposable()
    /// The resource is disposed once the start has returned and the source's subscription has been disposed.
    private let startAndEnd = StartEndLatch()

    @usableFromInline
    init(_ factory: @escaping Factory) {
        self.factory = factory
        super.init(.never())
    }

    deinit {
        Link.free(down.takeLink())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(factory)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        guard !me.upstream.isClosed else { return }
        do {
            let (resource, made) = try me.factory()
            me.resource.setDisposable(resource)
            startStream(made, Downstream(me))
        } catch {
            me.error(error)
        }
        if me.startAndEnd.start() { me.resource.dispose() }
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        stops.pushStopped(self)
        source.stop(&stops)
    }

    override func stopped(_ stops: inout DisposalStack) {
        if startAndEnd.end() { stops.push(resource) }
    }
}
