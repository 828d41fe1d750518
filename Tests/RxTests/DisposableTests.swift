import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Disposables", .noLeaks)
struct DisposableTests {
    private let count = Log<Int>()

    private func disposable(_ id: Int = 0) -> any Cancelable {
        Disposables.create { [count] in count.add(id) }
    }

    @Test("A disposable runs its closure once")
    func once() {
        let disposable = disposable()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed)
        #expect(count.entries.count == 1)
    }

    @Test("A group disposes its members in order, and disposes removed and late members at once")
    func composite() throws {
        let group = CompositeDisposable(disposable(1), disposable(2), disposable(3))
        let key = try #require(group.insert(disposable(4)))
        #expect(group.count == 4)
        group.remove(for: key)
        group.remove(for: key)
        #expect(count.entries == [4])
        group.dispose()
        group.dispose()
        #expect(count.entries == [4, 1, 2, 3])
        #expect(group.insert(disposable(5)) == nil)
        #expect(count.entries == [4, 1, 2, 3, 5])
        #expect(group.isDisposed && group.count == 0)
        Disposables.create(disposable(6), disposable(7), disposable(8), disposable(9)).dispose()
        #expect(count.entries.suffix(4) == [6, 7, 8, 9])
    }

    @Test(
        "A serial disposable disposes each replaced disposable, and new ones at once after its own disposal"
    )
    func serial() {
        let serial = SerialDisposable()
        serial.disposable = disposable(1)
        serial.disposable = disposable(2)
        #expect(count.entries == [1])
        serial.dispose()
        #expect(count.entries == [1, 2])
        serial.disposable = disposable(3)
        #expect(count.entries == [1, 2, 3])
        #expect(serial.isDisposed)
    }

    @Test("A single-assignment disposable disposes a disposable that is set after its own disposal")
    func singleAssignment() {
        let single = SingleAssignmentDisposable()
        single.dispose()
        #expect(count.entries.isEmpty)
        single.setDisposable(disposable(1))
        #expect(count.entries == [1])
        #expect(single.isDisposed)
    }

    @Test("Setting a single-assignment disposable twice stops the program")
    func secondAssignment() async {
        await #expect(processExitsWith: .failure) {
            let single = SingleAssignmentDisposable()
            single.setDisposable(Disposables.create())
            single.setDisposable(Disposables.create())
        }
    }

    @Test("A bag disposes its members when it is deallocated")
    func bag() {
        var bag: DisposeBag? = DisposeBag {
            disposable(1)
            disposable(2)
        }
        bag?.insert(disposable(3), disposable(4))
        disposable(5).disposed(by: bag ?? DisposeBag())
        #expect(count.entries.isEmpty)
        bag = nil
        #expect(count.entries == [1, 2, 3, 4, 5])
    }

    @Test("A boolean disposable records its disposal")
    func boolean() {
        let disposable = BooleanDisposable()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        #expect(disposable.isDisposed)
    }

    @Test("A reference-counted disposable disposes its resource with the last reference")
    func refCount() {
        let counted = RefCountDisposable(disposable: disposable(1))
        let (first, second) = (counted.retain(), counted.retain())
        first.dispose()
        first.dispose()
        counted.dispose()
        counted.dispose()
        #expect(count.entries.isEmpty && !counted.isDisposed)
        let third = counted.retain()
        second.dispose()
        #expect(count.entries.isEmpty)
        third.dispose()
        #expect(count.entries == [1])
        #expect(counted.isDisposed)
        counted.retain().dispose()
        #expect(count.entries == [1])
        let free = RefCountDisposable(disposable: disposable(2))
        free.retain().dispose()
        #expect(count.entries == [1])
        free.dispose()
        #expect(count.entries == [1, 2])
    }

    @Test("A reference-counted disposable with concurrent references disposes its resource once")
    func refCountThreads() async {
        for _ in 0..<500 {
            let count = Shared(0)
            let counted = RefCountDisposable(
                disposable: Disposables.create { count.withLock { $0 += 1 } })
            let first = counted.retain()
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<2 { tasks.addTask { counted.retain().dispose() } }
                tasks.addTask { counted.dispose() }
                tasks.addTask { first.dispose() }
            }
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test("A scheduled disposable disposes once, on its scheduler")
    func scheduled() {
        let scheduler = ManualScheduler()
        let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: disposable(1))
        scheduled.dispose()
        scheduled.dispose()
        #expect(count.entries.isEmpty && !scheduled.isDisposed)
        scheduler.start()
        #expect(count.entries == [1] && scheduled.isDisposed)
        #expect(scheduled.scheduler === scheduler)
    }

    @Test("A bag accepts one disposable, several, an array, or a builder block")
    func bagForms() {
        do {
            let bag = DisposeBag(disposing: [disposable(1), disposable(2)])
            bag.insert([disposable(3)])
            bag.insert {
                disposable(4)
                disposable(5)
            }
            let other = DisposeBag(disposing: disposable(6), disposable(7))
            withExtendedLifetime((bag, other)) {}
        }
        #expect(count.entries.sorted() == [1, 2, 3, 4, 5, 6, 7])
    }

    /// A disposable that holds another: how to dispose the held one, and how to query the holder.
    struct Holding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hold: @Sendable (any Disposable) -> (dispose: @Sendable () -> Void, ask: @Sendable () -> Void)
    }

    private static let holdings = [
        Holding(testDescription: "a group") { held in
            let group = CompositeDisposable(disposables: [held])
            return (
                { group.dispose() },
                { _ = group.isDisposed || group.count > 0 || group.insert(Disposables.create()) != nil }
            )
        },
        Holding(testDescription: "a member that is removed") { held in
            let group = CompositeDisposable()
            let key = group.insert(held)
            return ({ if let key { group.remove(for: key) } }, { group.dispose() })
        },
        Holding(testDescription: "what a serial disposable replaces") { held in
            let serial = SerialDisposable()
            serial.disposable = held
            return ({ serial.disposable = Disposables.create() }, { serial.dispose() })
        },
        Holding(testDescription: "a serial disposable") { held in
            let serial = SerialDisposable()
            serial.disposable = held
            return ({ serial.dispose() }, { serial.disposable = Disposables.create() })
        },
        Holding(testDescription: "a single assignment") { held in
            let single = SingleAssignmentDisposable()
            single.setDisposable(held)
            return ({ single.dispose() }, { if !single.isDisposed { single.dispose() } })
        },
        Holding(testDescription: "a reference-counted disposable") { held in
            let counted = RefCountDisposable(disposable: held)
            return ({ counted.dispose() }, { counted.retain().dispose() })
        },
        Holding(testDescription: "a scheduled disposable") { held in
            let scheduled = ScheduledDisposable(scheduler: ImmediateScheduler.instance, disposable: held)
            return ({ scheduled.dispose() }, { if !scheduled.isDisposed { scheduled.dispose() } })
        },
    ]

    @Test(
        "No lock is held during a disposal, so that it may call its holder from any thread",
        .timeLimit(.minutes(1)), arguments: holdings)
    func asksBack(_ holding: Holding) {
        let ask = Shared<(@Sendable () -> Void)?>(nil)
        let held = Disposables.create { [count] in
            let ask = ask.withLock { $0 }
            ask?()
            let isDone = Signal()
            DispatchQueue.global().async {
                ask?()
                isDone.fire()
            }
            do { try isDone.waitBlocking() } catch { Issue.record(error) }
            count.add(1)
        }
        let (dispose, question) = holding.hold(held)
        ask.withLock { $0 = question }
        dispose()
        dispose()
        #expect(count.entries == [1])
        ask.withLock { $0 = nil }
    }

    @Test("A source's disposable that arrives after the end of the subscription is disposed once")
    func disposedBefore() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            for number in 1...3 { observer.onNext(number) }
            log.add("sent")
            return Disposables.create { log.add("disposed") }
        }
        let subscription = log.record(source.take(2))
        #expect(log.entries == ["1", "2", "done", "sent", "disposed"])
        subscription.dispose()
        // Disposed from inside the subscribe closure.
        let own = SingleAssignmentDisposable()
        own.setDisposable(
            log.record(
                Observable<Int>.create { observer in
                    observer.onNext(4)
                    own.dispose()
                    observer.onNext(5)
                    return Disposables.create { log.add("own disposed") }
                }))
        #expect(
            log.entries.suffix(4) == ["disposed", "4", "5", "own disposed"],
            "the subscription is unknown until subscribe returns")
    }

    @Test("A disposable is disposed once, even from several threads")
    func threads() async {
        for _ in 0..<500 {
            let count = Shared(0)
            let serial = SerialDisposable()
            let group = CompositeDisposable()
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<4 {
                    tasks.addTask {
                        let disposable = Disposables.create { count.withLock { $0 += 1 } }
                        serial.disposable = disposable
                        _ = group.insert(disposable)
                        serial.dispose()
                        group.dispose()
                        disposable.dispose()
                    }
                }
            }
            #expect(count.withLock { $0 } == 4)
        }
    }

    @Test("A result that races with the disposal is delivered at most once, and the source is freed once")
    func answerAgainstDisposal() async {
        for _ in 0..<2_000 {
            let answers = Shared(0)
            let freed = Shared(0)
            let callback = Shared<(@Sendable (SingleEvent<Int>) -> Void)?>(nil)
            let subscription = Single<Int>.create { observer in
                callback.withLock { $0 = observer }
                return Disposables.create { freed.withLock { $0 += 1 } }
            }.map { $0 + 1 }.subscribe(onSuccess: { _ in answers.withLock { $0 += 1 } })
            let answer = callback.withLock { $0 }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { answer?(.success(1)) }
                group.addTask { subscription.dispose() }
                group.addTask { answer?(.success(2)) }
            }
            #expect(answers.withLock { $0 } <= 1)
            #expect(freed.withLock { $0 } == 1)
        }
    }
}
