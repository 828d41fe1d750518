import Rx

extension PartOutcome {
    /// Sends once, when the last of `count` parts has ended. The parts' outcomes do not go through the stream: they are
    /// noted as they come, for the deadline.
    static func whenAllEnded(_ count: Int, _ part: (Int) -> Single<Void>) -> Observable<Void> {
        switch count {
        case 0: .just(())
        case 1: part(0).asObservable()
        case 2: .combineLatest(part(0), part(1)) { _, _ in }
        case 3: .combineLatest(part(0), part(1), part(2)) { _, _, _ in }
        default: .combineLatest((0..<count).map { part($0).asObservable() }) { _ in }
        }
    }
}
