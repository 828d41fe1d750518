import Foundation
import RxCompatibility

/// Spellings from before RxSwift 6; each is a warning.
class Legacy {
    let bag = DisposeBag()
    let name = Variable("kim")
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    var log: [String] = []

    func start(_ numbers: Observable<Int>) {
        numbers.observeOn(MainScheduler.instance)
            .subscribeOn(SerialDispatchQueueScheduler(internalSerialQueueName: "legacy"))
            .catchError { _ in Observable.just(0) }
            .catchErrorJustReturn(1)
            .retryWhen { errors in errors.flatMap { _ in Observable<Int>.timer(1, scheduler: self.scheduler) }
            }
            .takeUntil(Observable<Void>.never())
            .takeUntil(.inclusive) { $0 > 100 }
            .takeWhile { $0 < 50 }
            .skipUntil(Observable.just(()))
            .skipWhile { $0 < 2 }
            .elementAt(3)
            .shareReplay(1)
            .shareReplayLatestWhileConnected()
            .subscribe(onNext: { self.log.append("\($0)") })
            .addDisposableTo(bag)
        numbers.mapWithIndex { $0 + $1 }
            .flatMapWithIndex { number, index in Observable.of(number, index) }
            .takeWhileWithIndex { _, index in index < 10 }
            .skipWhileWithIndex { _, index in index < 1 }
            .delay(0.5, scheduler: scheduler)
            .delaySubscription(0.5, scheduler: scheduler)
            .timeout(10, scheduler: scheduler)
            .timeout(10, other: Observable.just(1), scheduler: scheduler)
            .throttle(0.3, scheduler: scheduler)
            .throttle(0.3, latest: false, scheduler: scheduler)
            .debounce(0.3, scheduler: scheduler)
            .skip(1.0, scheduler: scheduler)
            .take(2.0, scheduler: scheduler)
            .buffer(timeSpan: 1.0, count: 10, scheduler: scheduler)
            .subscribe(onNext: { self.log.append("\($0)") })
            .disposed(by: bag)
        Observable<Int>.interval(1, scheduler: MainScheduler.instance)
            .window(timeSpan: 1.0, count: 10, scheduler: scheduler)
            .merge()
            .subscribe(onNext: { print($0) })
            .disposed(by: bag)
        Observable.catchError([numbers, Observable.just(1)]).subscribe(onNext: { print($0) }).disposed(
            by: bag)
        name.asObservable().subscribe(onNext: { print($0) }).disposed(by: bag)
        name.value = "lee"
    }

    func load() -> Single<String> {
        return Single<Int>.timer(1, scheduler: scheduler)
            .do(onNext: { self.log.append("\($0)") })
            .map { "\($0)" }
            .timeout(2, scheduler: scheduler)
            .delay(0.1, scheduler: scheduler)
            .observeOn(MainScheduler.instance)
            .catchErrorJustReturn("")
    }

    func show() {
        load().subscribe(onSuccess: { print($0) }, onError: { print($0) }).disposed(by: bag)
        let optional: String? = name.value
        Observable.from(optional).subscribe(onNext: { print($0) }).disposed(by: bag)
        Completable.merge(.empty(), Completable.empty()).subscribe(onCompleted: {}).disposed(by: bag)
    }
}
