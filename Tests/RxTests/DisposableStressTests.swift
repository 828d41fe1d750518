import Rx
import RxTesting
import Testing

/// Operations to run on a disposable in parallel. Its resource must be disposed exactly once.
struct DisposableCase: Sendable, CustomTestStringConvertible {
    typealias Work = @Sendable () -> Void

    let testDescription: String
    let make: @Sendable (_ resource: any Disposable) -> [Work]

    init(_ name: String, _ make: @escaping @Sendable (any Disposable) -> [Work]) {
        testDescription = name
        self.make = make
    }

    private static var other: any Disposable { Disposables.create {} }

    static let all: [DisposableCase] = [
        DisposableCase("a closure") { resource in
            let disposable = Disposables.create { resource.dispose() }
            return Array(repeating: { disposable.dispose() }, count: 4)
        },
        DisposableCase("SingleAssignmentDisposable") { resource in
            let single = SingleAssignmentDisposable()
            return [{ single.setDisposable(resource) }, { single.dispose() }, { single.dispose() }]
        },
        DisposableCase("SerialDisposable") { resource in
            let serial = SerialDisposable()
            return [
                { serial.disposable = resource }, { serial.disposable = other }, { serial.dispose() },
                { serial.dispose() },
            ]
        },
        DisposableCase("CompositeDisposable, insertion") { resource in
            let group = CompositeDisposable()
            return [{ _ = group.insert(resource) }, { _ = group.insert(other) }, { group.dispose() }]
        },
        DisposableCase("CompositeDisposable, removal") { resource in
            let group = CompositeDisposable()
            guard let key = group.insert(resource) else { return [] }
            return [{ group.remove(for: key) }, { group.dispose() }, { group.remove(for: key) }]
        },
        DisposableCase("RefCountDisposable") { resource in
            let counted = RefCountDisposable(disposable: resource)
            let holder = counted.retain()
            return [
                { counted.dispose() }, { holder.dispose() }, { holder.dispose() },
                { counted.retain().dispose() },
            ]
        },
        DisposableCase("ScheduledDisposable") { resource in
            let scheduled = ScheduledDisposable(
                scheduler: CurrentThreadScheduler.instance, disposable: resource)
            return Array(repeating: { scheduled.dispose() }, count: 4)
        },
        DisposableCase("DisposeBag") { resource in
            let bag = DisposeBag()
            return [{ bag.insert(resource) }, { bag.insert(other) }, { bag.insert([other, other]) }]
        },
        DisposableCase("a group of four") { resource in
            let group = Disposables.create(resource, other, other, other)
            return Array(repeating: { group.dispose() }, count: 3)
        },
        DisposableCase("a subscription") { resource in
            let subject = PublishSubject<Int>().serialized()
            let subscription = Observable<Int>.create { observer in
                Disposables.create(subject.subscribe(observer), resource)
            }.subscribe()
            return [{ subject.onCompleted() }, { subscription.dispose() }, { subject.onNext(1) }]
        },
        DisposableCase("using") { resource in
            let subject = PublishSubject<Int>().serialized()
            let subscription = Observable.using(
                { Held(resource) }, observableFactory: { _ in subject.asObservable() }
            )
            .subscribe()
            return [{ subject.onCompleted() }, { subscription.dispose() }, { subject.onNext(1) }]
        },
    ]

    /// Disposes its resource each time it is disposed, even repeatedly.
    private final class Held: Disposable {
        private let resource: any Disposable

        init(_ resource: any Disposable) { self.resource = resource }

        func dispose() { resource.dispose() }
    }
}

@Suite("Disposables used by several threads", .noLeaks)
struct DisposableStressTests {
    /// Counts its disposals and runs an action in each.
    private final class Resource: Disposable {
        let count = Shared(0)
        let within = Shared<@Sendable () -> Void>({})

        func dispose() {
            count.withLock { $0 += 1 }
            let action = within.withLock { $0 }
            action()
        }
    }

    @Test(
        "The resource is disposed once, whichever operation comes first, and its disposal may call back",
        .timeLimit(.minutes(1)), arguments: DisposableCase.all)
    func once(_ kind: DisposableCase) async {
        for round in 0..<300 {
            let resource = Resource()
            do {
                let works = kind.make(resource)
                // The resource's disposal calls another operation of the disposable.
                if let last = works.last, kind.testDescription != "DisposeBag" {
                    resource.within.withLock { $0 = last }
                }
                await withTaskGroup(of: Void.self) { group in
                    // Rotated, so that each operation comes first in some round.
                    for index in works.indices {
                        group.addTask(operation: works[(index + round) % works.count])
                    }
                }
            }
            resource.within.withLock { $0 = {} }
            #expect(resource.count.withLock { $0 } == 1)
        }
    }
}
