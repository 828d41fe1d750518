import Foundation
import RxCompatibility

/// Spellings from before RxSwift 6; each is a warning.
class Legacy {
    let bag = DisposeBag()
    let name = BehaviorRelay(value: "kim")
    let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
    var log: [String] = []

    func start(_ numbers: Observable<Int>) {
        numbers.observeOn(MainScheduler.instance)
            .subscribeOn(SerialDispatchQueueScheduler(internalSerialQueueName: "legacy"))
            .catchError { _ in Observable.just(0) }
            .catchErrorJustReturn(1)
            .retryWhen { errors in
                errors.flatMap { _ in Observable<Int>.timer(.seconds(1), scheduler: self.scheduler) }
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
            .disposed(by: bag)
        numbers.take(.seconds(2), scheduler: scheduler)
            .subscribe(onNext: { print($0) })
            .disposed(by: bag)
        Observable.catchError([numbers, Observable.just(1)]).subscribe(onNext: { print($0) }).disposed(
            by: bag)
        name.asObservable().subscribe(onNext: { print($0) }).disposed(by: bag)
        name.accept("lee")
    }

    func load() -> Single<String> {
        return Single<Int>.timer(.seconds(1), scheduler: scheduler)
            .map { "\($0)" }
            .observeOn(MainScheduler.instance)
            .catchErrorJustReturn("")
    }

    func show() {
        load().subscribe(onSuccess: { print($0) }, onError: { print($0) }).disposed(by: bag)
        Completable.merge(.empty(), Completable.empty()).subscribe(onCompleted: {}).disposed(by: bag)
    }
}
