import Foundation
import Rx

// Code as in packages around RxSwift and in its users' utilities.

extension ObserverType where Element == Void {
    func onNext() {
        onNext(())
    }
}

extension PublishRelay where Element == Void {
    func accept() {
        accept(())
    }
}

extension ObservableType where Element: EventConvertible {
    func elements() -> Observable<Element.Element> {
        return compactMap { $0.event.element }
    }

    func errors() -> Observable<Error> {
        return compactMap { $0.event.error }
    }
}

extension ObservableType {
    func catchErrorJustComplete() -> Observable<Element> {
        return self.catch { _ in Observable.empty() }
    }

    func ofType<Result>(_ type: Result.Type) -> Observable<Result> {
        return compactMap { $0 as? Result }
    }

    func zip<With: ObservableConvertibleType, Result>(
        with: With, resultSelector: @escaping (Element, With.Element) throws -> Result
    ) -> Observable<Result> {
        return Observable.zip(self, with, resultSelector: resultSelector)
    }

    func nwise(_ count: Int) -> Observable<[Element]> {
        return scan([]) { acc, item in Array((acc + [item]).suffix(count)) }.filter { $0.count == count }
    }

    func flatMapSync<Result>(_ transform: @escaping (Element) -> [Result]) -> Observable<Result> {
        return Observable.create { observer in
            return self.subscribe { event in
                switch event {
                case .next(let element): transform(element).forEach(observer.onNext)
                case .error(let error): observer.on(.error(error))
                case .completed: observer.on(.completed)
                }
            }
        }
    }

    func partition(_ predicate: @escaping (Element) -> Bool) -> (Observable<Element>, Observable<Element>) {
        let stream = map { ($0, predicate($0)) }.share()
        return (stream.filter { $0.1 }.map { $0.0 }, stream.filter { !$0.1 }.map { $0.0 })
    }

    func buffer<Trigger: ObservableType>(trigger: Trigger) -> Observable<[Element]> {
        return Observable<[Element]>.create { observer in
            var buffer: [Element] = []
            let lock = NSRecursiveLock()
            let triggered = trigger.subscribe { event in
                lock.lock()
                defer { lock.unlock() }
                switch event {
                case .next:
                    observer.onNext(buffer)
                    buffer = []
                default: break
                }
            }
            let source = self.subscribe { event in
                lock.lock()
                defer { lock.unlock() }
                switch event {
                case .next(let element): buffer.append(element)
                case .completed:
                    observer.onNext(buffer)
                    observer.onCompleted()
                case .error(let error): observer.onError(error)
                }
            }
            return Disposables.create([triggered, source])
        }
    }

    func subscribeWeak<Target: AnyObject>(
        _ target: Target, _ handler: @escaping (Target) -> (Element) -> Void
    ) -> Disposable {
        return subscribe(onNext: { [weak target] element in
            guard let target = target else { return }
            handler(target)(element)
        })
    }
}

func += (bag: DisposeBag, disposable: Disposable) {
    bag.insert(disposable)
}

infix operator <->

func <-> <Element: Equatable>(lhs: BehaviorRelay<Element>, rhs: BehaviorRelay<Element>) -> Disposable {
    return Disposables.create(
        lhs.distinctUntilChanged().bind(to: rhs), rhs.distinctUntilChanged().skip(1).bind(to: lhs))
}

func <-> <Element>(lhs: BehaviorSubject<Element>, rhs: Binder<Element>) -> Disposable {
    return lhs.subscribe(rhs)
}

/// An action with inputs, elements, errors and state.
class Action<Input, Element> {
    typealias WorkFactory = (Input) -> Observable<Element>

    let inputs = PublishSubject<Input>()
    let elements: Observable<Element>
    let errors: Observable<Error>
    let executing: Observable<Bool>
    private let disposeBag = DisposeBag()

    init(enabledIf: Observable<Bool> = Observable.just(true), workFactory: @escaping WorkFactory) {
        let events = inputs.withLatestFrom(enabledIf) { ($0, $1) }
            .flatMap { input, isEnabled -> Observable<Event<Element>> in
                guard isEnabled else { return Observable.empty() }
                return workFactory(input).do(onCompleted: {}).materialize()
            }
            .share()
        elements = events.elements()
        errors = events.errors()
        executing = Observable.merge(
            inputs.map { _ in true }, events.filter { $0.isStopEvent }.map { _ in false }
        )
        .startWith(false)
        .share(replay: 1, scope: .forever)
        executing.subscribe().disposed(by: disposeBag)
    }

    @discardableResult
    func execute(_ value: Input) -> Observable<Element> {
        let replayed = ReplaySubject<Element>.createUnbounded()
        elements.take(1).multicast(replayed).connect().disposed(by: disposeBag)
        inputs.onNext(value)
        return replayed.asObservable()
    }
}

/// A reactor: actions in, state out.
protocol Reactor: AnyObject {
    associatedtype Intent
    associatedtype Mutation
    associatedtype State

    var initialState: State { get }
    func mutate(action: Intent) -> Observable<Mutation>
    func reduce(state: State, mutation: Mutation) -> State
}

extension Reactor {
    func states(of actions: Observable<Intent>) -> Observable<State> {
        let mutations = actions.flatMap { [weak self] action -> Observable<Mutation> in
            guard let self = self else { return .empty() }
            return self.mutate(action: action).catch { _ in .empty() }
        }
        let states = mutations.scan(initialState) { [weak self] state, mutation -> State in
            guard let self = self else { return state }
            return self.reduce(state: state, mutation: mutation)
        }
        return states.startWith(initialState).observe(on: MainScheduler.instance).replay(1).refCount()
    }
}

final class CounterReactor: Reactor {
    enum Intent { case increase, decrease }
    enum Mutation { case add(Int) }
    struct State { var count = 0 }

    let initialState = State()

    func mutate(action: Intent) -> Observable<Mutation> {
        switch action {
        case .increase: return Observable.just(.add(1))
        case .decrease:
            return Observable.just(Mutation.add(-1)).delay(
                .milliseconds(1), scheduler: MainScheduler.instance)
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .add(let number): state.count += number
        }
        return state
    }
}

/// A service over a callback API, with a cache.
class ImageService {
    static let shared = ImageService()

    private var tasks: [String: DispatchWorkItem] = [:]
    private let cache = NSCache<NSString, NSData>()
    lazy var loaded: Observable<Data> = requests.flatMapLatest(self.image).share(replay: 1)
    let requests = PublishSubject<String>()

    func image(_ name: String) -> Observable<Data> {
        if let data = cache.object(forKey: name as NSString) { return .just(data as Data) }
        return Observable.create { [unowned self] observer in
            let task = DispatchWorkItem { [weak self] in
                let data = Data(name.utf8)
                self?.cache.setObject(data as NSData, forKey: name as NSString)
                observer.onNext(data)
                observer.onCompleted()
            }
            self.tasks[name] = task
            DispatchQueue.global().async(execute: task)
            return Disposables.create(with: task.cancel)
        }
        .subscribe(on: ConcurrentDispatchQueueScheduler(queue: .global()))
        .observe(on: MainScheduler.instance)
        .timeout(
            .seconds(3), other: Observable<Data>.error(RxError.timeout), scheduler: MainScheduler.instance
        )
        .retry(when: { (errors: Observable<Error>) -> Observable<Int> in
            errors.enumerated().flatMap { (index, error) -> Observable<Int> in
                index < 3
                    ? Observable<Int>.timer(.seconds(index), scheduler: MainScheduler.instance)
                    : .error(error)
            }
        })
    }
}
