import Rx

extension PartOutcome {
    /// Sends once, when the last of `count` parts has ended. The parts' outcomes do not go through the stream: they are
    /// noted as they come, for the deadline.
    static func whenAllEnded(
        _ count: Int, _ part: (Int) throws -> Single<Void>
    ) rethrows -> Observable<Void> {
        switch count {
        case 0: .just(())
        case 1: try part(0).asObservable()
        case 2: .combineLatest(try part(0), try part(1)) { _, _ in }
        case 3: .combineLatest(try part(0), try part(1), try part(2)) { _, _, _ in }
        default: .combineLatest(try (0..<count).map { try part($0).asObservable() }) { _ in }
        }
    }
}
