import Foundation
import RxCompatibility

struct Repository: Decodable, Equatable {
    let name: String
    let stars: Int
}

/// A class that is not Sendable, like the models of mode 5 programs.
class User {
    var name: String
    var age = 0

    init(name: String) {
        self.name = name
    }
}

enum SearchError: Error, Equatable {
    case offline
    case status(Int)
}

protocol SearchServiceType {
    func search(_ text: String) -> Single<[Repository]>
    func user(named name: String) -> Observable<User>
}

final class SearchService: SearchServiceType {
    private var cache: [String: [Repository]] = [:]
    private let queue = DispatchQueue(label: "search")

    func search(_ text: String) -> Single<[Repository]> {
        return Single.create { [weak self] single in
            guard let self = self else {
                single(.failure(SearchError.offline))
                return Disposables.create()
            }
            if let known = self.cache[text] {
                single(.success(known))
                return Disposables.create()
            }
            var isCancelled = false
            self.queue.async {
                guard !isCancelled else { return }
                let found = [Repository(name: text, stars: text.count)]
                self.cache[text] = found
                single(.success(found))
            }
            return Disposables.create { isCancelled = true }
        }
    }

    func user(named name: String) -> Observable<User> {
        return Observable.create { observer in
            let user = User(name: name)
            observer.onNext(user)
            user.age += 1
            observer.on(.next(user))
            observer.onCompleted()
            return Disposables.create()
        }
    }
}

protocol ViewModelType {
    associatedtype Input
    associatedtype Output

    func transform(_ input: Input) -> Output
}

class SearchViewModel: ViewModelType {
    struct Input {
        let text: Observable<String>
        let refresh: PublishRelay<Void>
    }

    struct Output {
        let repositories: Observable<[Repository]>
        let isLoading: Observable<Bool>
        let message: Infallible<String?>
    }

    private let service: SearchServiceType
    private let scheduler: SchedulerType
    private let loading = BehaviorRelay(value: false)
    private let errors = PublishSubject<Error>()
    private let user = BehaviorRelay<User?>(value: nil)
    private let disposeBag = DisposeBag()
    private(set) var searches = 0

    init(service: SearchServiceType, scheduler: SchedulerType) {
        self.service = service
        self.scheduler = scheduler
        service.user(named: "kim").bind(to: user).disposed(by: disposeBag)
    }

    func transform(_ input: Input) -> Output {
        let text = input.text
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
            .debounce(.milliseconds(300), scheduler: scheduler)
            .distinctUntilChanged()
            .share(replay: 1)
        let repositories = Observable.merge(text, input.refresh.withLatestFrom(text))
            .do(onNext: { [weak self] _ in
                self?.searches += 1
                self?.loading.accept(true)
            })
            .flatMapLatest { [service, weak self] text in
                service.search(text)
                    .timeout(.seconds(5), scheduler: self?.scheduler ?? MainScheduler.instance)
                    .retry(2)
                    .do(onError: { self?.errors.onNext($0) })
                    .catchAndReturn([])
            }
            .do(onNext: { [weak self] _ in self?.loading.accept(false) })
            .share(replay: 1, scope: .whileConnected)
        let message =
            errors
            .map { error -> String? in
                switch error {
                case SearchError.status(let status): return "status \(status)"
                case RxError.timeout: return "too slow"
                default: return nil
                }
            }
            .startWith(nil)
            .asInfallible(onErrorJustReturn: nil)
        user.subscribe(onNext: { user in print(user?.name ?? "nobody") }).disposed(by: disposeBag)
        return Output(
            repositories: repositories, isLoading: loading.asObservable().distinctUntilChanged(),
            message: message)
    }
}

class SearchController: NSObject {
    var rows: [Repository] = []
    var isSpinning = false
    var title: String?
    let text = BehaviorSubject<String>(value: "")
    let refresh = PublishRelay<Void>()
    let disposeBag = DisposeBag()
    var viewModel: SearchViewModel?

    func bind() {
        guard let viewModel = viewModel else { return }
        let output = viewModel.transform(.init(text: text, refresh: refresh))
        output.repositories
            .observe(on: MainScheduler.instance)
            .subscribe(onNext: { [weak self] rows in self?.rows = rows })
            .disposed(by: disposeBag)
        output.repositories
            .withUnretained(self)
            .subscribe(onNext: { controller, rows in controller.title = "\(rows.count)" })
            .disposed(by: disposeBag)
        output.isLoading.bind(to: rx.isSpinning).disposed(by: disposeBag)
        output.isLoading.bind(to: rx.spinning).disposed(by: disposeBag)
        output.message.bind(to: rx.title).disposed(by: disposeBag)
        output.message
            .subscribe(with: self, onNext: { owner, message in owner.title = message })
            .disposed(by: disposeBag)
        refresh.subscribe(with: self) { owner, _ in owner.rows.removeAll() }.disposed(by: disposeBag)
        disposeBag.insert(
            text.subscribe(onNext: { print($0) }), text.skip(1).subscribe { event in print(event) })
    }
}

extension Reactive where Base: SearchController {
    var spinning: Binder<Bool> {
        return Binder(self.base) { controller, isSpinning in controller.isSpinning = isSpinning }
    }

    var onMain: Binder<String?> {
        return Binder(base, scheduler: MainScheduler.instance) { controller, title in controller.title = title
        }
    }

    func load(_ text: String) -> Observable<[Repository]> {
        guard let viewModel = base.viewModel else { return .empty() }
        return viewModel.transform(.init(text: .just(text), refresh: base.refresh)).repositories
    }

    var selected: AnyObserver<Repository> {
        return AnyObserver { [weak base] event in
            if case .next(let repository) = event { base?.title = repository.name }
        }
    }
}
