import Dispatch
import Foundation
import Rx
import RxBlocking
import RxCompatibility
import RxVirtualTime

func subjects() throws {
    let publish = PublishSubject<Int>()
    publish.on(.next(1))
    publish.onNext(1)
    publish.onError(Failure())
    publish.onCompleted()
    publish.dispose()
    use((publish.hasObservers, publish.isDisposed))
    use(publish.asObserver())
    let behavior = BehaviorSubject(value: 1)
    use(try behavior.value())
    use((behavior.hasObservers, behavior.isDisposed))
    use(behavior.asObserver())
    use(ReplaySubject<Int>.create(bufferSize: 1).asObserver())
    use(ReplaySubject<Int>.createUnbounded().hasObservers)
    use(AsyncSubject<Int>().asObserver())
    use(numbers.subscribe(publish))
    let observer: PublishSubject<Int>.SubjectObserverType = publish.asObserver()
    use(observer)
}

func relays() {
    let publish = PublishRelay<Int>()
    publish.accept(1)
    use(publish.asInfallible())
    let behavior = BehaviorRelay(value: 1)
    behavior.accept(behavior.value)
    use(behavior.asInfallible())
    let replay = ReplayRelay<Int>.create(bufferSize: 1)
    replay.accept(1)
    use(replay.asInfallible())
    use(ReplayRelay<Int>.createUnbound().asObservable())
    let optional = (
        PublishRelay<Int?>(), BehaviorRelay<Int?>(value: nil), ReplayRelay<Int?>.create(bufferSize: 1)
    )
    use(numbers.bind(to: publish, publish))
    use(numbers.bind(to: behavior))
    use(numbers.bind(to: replay))
    use(numbers.bind(to: optional.0))
    use(numbers.bind(to: optional.1))
    use(numbers.bind(to: optional.2))
    use(numbers.bind(to: PublishSubject<Int>(), PublishSubject<Int>()))
    use(numbers.bind(to: PublishSubject<Int?>()))
    use(numbers.bind(onNext: { use($0) }))
    use(numbers.bind(with: Owner()) { use(($0, $1)) })
    use(numbers.bind { source in source.map { $0 + 1 } })
    use(numbers.bind(to: { source in { (addend: Int) in source.map { $0 + addend } } }, curriedArgument: 1))
    use(infallible.bind(to: publish))
    use(infallible.bind(to: behavior))
    use(infallible.bind(to: replay))
    use(infallible.bind(to: optional.0))
    use(infallible.bind(to: optional.1))
    use(infallible.bind(to: optional.2))
    use(infallible.bind(to: PublishSubject<Int>()))
    use(infallible.bind(onNext: { use($0) }))
    use(infallible.bind(with: Owner()) { use(($0, $1)) })
}

func binders(_ target: Mutable) {
    use(texts.bind(to: target.rx.text))
    use(Binder(target) { target, text in target.text = text })
    use(texts.bind(to: Binder(target, scheduler: MainScheduler.instance) { $0.text = $1 }))
    use(Reactive(target).base.text)
    use(Mutable.rx.self == Reactive<Mutable>.self)
}

func disposables() {
    let nothing = Disposables.create()
    use(Disposables.create {})
    use(Disposables.create(with: {}))
    use(Disposables.create(nothing, nothing))
    use(Disposables.create(nothing, nothing, nothing))
    use(Disposables.create(nothing, nothing, nothing, nothing, nothing))
    use(Disposables.create([nothing]))
    use(BooleanDisposable().isDisposed)
    use(BooleanDisposable(isDisposed: true))
    let composite = CompositeDisposable()
    use(CompositeDisposable(nothing, nothing))
    use(CompositeDisposable(nothing, nothing, nothing))
    use(CompositeDisposable(nothing, nothing, nothing, nothing, nothing))
    use(CompositeDisposable(disposables: [nothing]))
    let key: CompositeDisposable.DisposeKey? = composite.insert(nothing)
    if let key { composite.remove(for: key) }
    use(composite.count)
    let serial = SerialDisposable()
    serial.disposable = nothing
    let assigned = SingleAssignmentDisposable()
    assigned.setDisposable(serial)
    use(RefCountDisposable(disposable: assigned).retain())
    use(ScheduledDisposable(scheduler: scheduler, disposable: nothing).scheduler)
    let bag = DisposeBag()
    bag.insert(nothing)
    bag.insert(nothing, nothing)
    bag.insert([nothing])
    bag.insert {
        nothing
        serial
    }
    nothing.disposed(by: bag)
    use(
        [DisposeBag(disposing: nothing, nothing), DisposeBag(disposing: [nothing]), DisposeBag { nothing }]
            as [DisposeBase])
    let cancelable: any Cancelable = serial
    use(cancelable.isDisposed)
}

func schedulers() {
    use(CurrentThreadScheduler.isScheduleRequired)
    use(MainScheduler())
    use(MainScheduler.asyncInstance)
    let serial: SerialDispatchQueueScheduler = MainScheduler.instance
    use(serial)
    MainScheduler.ensureExecutingOnScheduler(errorMessage: "not here")
    MainScheduler.ensureRunningOnMainThread()
    use(ConcurrentMainScheduler.instance)
    use(SerialDispatchQueueScheduler(qos: .background))
    use(
        SerialDispatchQueueScheduler(
            qos: .background, internalSerialQueueName: "queue", leeway: .milliseconds(1)))
    use(SerialDispatchQueueScheduler(internalSerialQueueName: "queue"))
    use(
        SerialDispatchQueueScheduler(
            internalSerialQueueName: "queue", serialQueueConfiguration: { $0.suspend() },
            leeway: .milliseconds(1)))
    use(
        SerialDispatchQueueScheduler(queue: .main, internalSerialQueueName: "queue", leeway: .milliseconds(1))
    )
    use(ConcurrentDispatchQueueScheduler(qos: .background, leeway: .milliseconds(1)))
    use(ConcurrentDispatchQueueScheduler(queue: .main))
    use(OperationQueueScheduler(operationQueue: OperationQueue(), queuePriority: .high).queuePriority)
    use(scheduler.schedule(1) { _ in Disposables.create() })
    use(scheduler.scheduleRelative(1, dueTime: RxTimeInterval.seconds(1)) { _ in Disposables.create() })
    use(scheduler.schedulePeriodic(1, startAfter: .seconds(1), period: .seconds(1)) { $0 + 1 })
    use(scheduler.scheduleRecursive(1) { state, recurse in recurse(state + 1) })
    use(scheduler.now as RxTime)
}

final class Ticks: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>, @unchecked Sendable {
    override func adjustScheduledTime(_ time: RxTime) -> RxTime {
        time.addingTimeInterval(1)
    }
}

func virtualTime() {
    let historical = HistoricalScheduler(initialClock: RxTime())
    use(HistoricalScheduler().debugDescription)
    let ticks = Ticks(initialClock: RxTime(), converter: HistoricalSchedulerTimeConverter())
    use(ticks.scheduleAbsoluteVirtual(1, time: RxTime()) { _ in Disposables.create() })
    use(ticks.scheduleRelativeVirtual(1, dueTime: 1) { _ in Disposables.create() })
    ticks.start()
    ticks.advanceTo(RxTime())
    ticks.sleep(1)
    ticks.stop()
    use((historical.clock, historical.now))
    use([VirtualTimeComparison.lessThan, .equal, .greaterThan])
}

func events(_ event: Event<Int>) {
    use((event.isStopEvent, event.isCompleted))
    use(event.element)
    use(event.error)
    use(event.map { "\($0)" })
    use(event.event)
    use(event.debugDescription)
    use(InfallibleEvent.next(1))
    use(
        [
            RxError.unknown, .disposed(object: Owner()), .overflow, .argumentOutOfRange, .noElements,
            .moreThanOneElement, .timeout,
        ].map(\.debugDescription))
    use([TakeBehavior.inclusive, .exclusive])
}

func observers() {
    let observer = AnyObserver<Int> { use($0) }
    use(AnyObserver(PublishSubject<Int>()))
    use(observer.asObserver())
    use(observer.mapObserver { (text: String) in text.count })
    observer.on(.completed)
}

func hooks() {
    Hooks.recordCallStackOnError = false
    Hooks.defaultErrorHandler = { callStack, error in use((callStack, error)) }
    Hooks.customCaptureSubscriptionCallstack = { [] }
    use(Resources.total)
    use(Resources.incrementTotal() + Resources.decrementTotal())
}

func counted<Number: RxAbstractInteger & Sendable>(_ count: Number) -> Observable<Number> {
    .range(start: 0, count: count)
}

/// Code that is generic over observables.
func generic<Source: ObservableType, Convertible: ObservableConvertibleType, Trait: PrimitiveSequenceType>(
    _ source: Source, _ convertible: Convertible, _ trait: Trait
) -> Observable<Convertible.Element> where Source.Element: EventConvertible, Trait.Trait == SingleTrait {
    use(source.dematerialize())
    use(trait.map { "\($0)" }.asObservable())
    return convertible.asObservable()
}

func blocking() throws {
    let blocking: BlockingObservable<Int> = numbers.toBlocking()
    use(try numbers.toBlocking(timeout: 1).toArray())
    use(try blocking.first())
    use(try blocking.last())
    use(try single.toBlocking().single())
    use(try blocking.single { $0 == 1 })
    switch blocking.materialize() {
    case .completed(let elements): use(elements)
    case .failed(let elements, let error): use((elements, error))
    }
}
