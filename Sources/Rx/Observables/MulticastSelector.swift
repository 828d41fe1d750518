extension ObservableType {
    /// Lets `selector` use the source several times through one subscription, which starts after the result
    /// and ends with it. For each subscriber, `subjectSelector` makes a subject and `selector` builds the
    /// result from it. An error thrown by either closure ends the stream.
    @inlinable
    @preconcurrency
    public consuming func multicast<Subject: SubjectType, Result: Sendable>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        MulticastSelector(asObservable(), subjectSelector, selector)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class MulticastSelector<Subject: SubjectType, Result: Sendable>: Observable<Result>,
    @unchecked Sendable
{
    private let source: Observable<Subject.Observer.Element>
    private let makeSubject: @Sendable () throws -> Subject
    private let selector: @Sendable (Observable<Subject.Element>) throws -> Observable<Result>

    @usableFromInline
    init(
        _ source: consuming Observable<Subject.Observer.Element>,
        _ makeSubject: @escaping @Sendable () throws -> Subject,
        _ selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) {
        self.source = source
        self.makeSubject = makeSubject
        self.selector = selector
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Result>) {
        let me = self
        let multicast: Multicast<Subject>
        let result: Observable<Result>
        do {
            let subject = try me.makeSubject()
            multicast = Multicast(me.source) { subject }
            result = try me.selector(multicast)
        } catch {
            return port.error(error)
        }
        let (connection, _) = multicast.join(as: 1)
        RefCountStep.start(result, port, connection)
        multicast.start(connection)
    }
}
