import Rx

/// A screen on the main actor and an actor, whose closures are isolated to them.
@MainActor
class Screen {
    var title = ""
    var rows: [String] = []
    let disposeBag = DisposeBag()
    let selected = PublishRelay<Int>()

    func show(_ title: String) {
        self.title = title
    }

    func bind(_ titles: Observable<String>, _ rows: Single<[String]>) {
        titles.observe(on: MainScheduler.instance)
            .subscribe(onNext: { [weak self] title in self?.title = title })
            .disposed(by: disposeBag)
        titles.map { self.title + $0 }
            .filter { $0 != self.title }
            .subscribe(onNext: { self.show($0) })
            .disposed(by: disposeBag)
        titles.subscribe(onNext: show).disposed(by: disposeBag)
        rows.subscribe(
            onSuccess: { [weak self] rows in self?.rows = rows }, onFailure: { self.show("\($0)") }
        )
        .disposed(by: disposeBag)
        selected.subscribe(with: self, onNext: { screen, row in screen.show(screen.rows[row]) })
            .disposed(by: disposeBag)
        titles.bind(to: Binder(self) { screen, title in screen.title = title }).disposed(by: disposeBag)
        Observable<String>.create { observer in
            observer.onNext(self.title)
            return Disposables.create { self.title = "" }
        }
        .subscribe()
        .disposed(by: disposeBag)
    }
}

actor Counter {
    private var count = 0
    private let disposeBag = DisposeBag()

    func count(_ ticks: Observable<Void>) {
        ticks.subscribe(onNext: { self.count += 1 }).disposed(by: disposeBag)
    }
}
