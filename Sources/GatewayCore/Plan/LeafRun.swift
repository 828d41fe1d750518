import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx

/// Makes a leaf that reads others, is read by others, or calls for each element of an array. It waits for what it reads.
final class LeafRun: Disposable {
    private struct State: Sendable {
        /// Leaves that it reads and that have not ended.
        var awaited: Int
        var isOver = false
        var work: (any Disposable)?
    }

    private let leaf: PlanLeaf
    private let number: Int
    private let run: PlanRun
    private let observer: Single<JSONFragment>.SingleObserver
    /// Attributes the calls to the part.
    private let context: CallContext?
    private let state: Lock<State>

    private init(
        _ leaf: PlanLeaf, _ number: Int, _ run: PlanRun,
        _ observer: @escaping Single<JSONFragment>.SingleObserver
    ) {
        self.leaf = leaf
        self.number = number
        self.run = run
        self.observer = observer
        context = CallContext.current
        state = Lock(State(awaited: leaf.dependencies.count))
    }

    static func single(_ leaf: PlanLeaf, _ number: Int, _ run: PlanRun) -> Single<JSONFragment> {
        .create { observer in
            let own = LeafRun(leaf, number, run, observer)
            own.begin()
            return own
        }
    }

    private func begin() {
        if leaf.dependencies.isEmpty { return start() }
        context?.partBegan(at: nil)
        let ended = run.await(leaf.dependencies, by: self)
        if ended > 0 { leavesEnded(ended) }
    }

    /// One of the leaves that it reads has ended.
    func leafEnded() { leavesEnded(1) }

    private func leavesEnded(_ count: Int) {
        let isReady = state.withLock { state in
            state.awaited -= count
            return state.awaited == 0 && !state.isOver
        }
        guard isReady else { return }
        context?.partBegan(at: run.transport.scheduler.now)
        CallContext.$current.withValue(context) { prepare() }
    }

    /// Looks up values in large parts apart from the loop, and then starts.
    private func prepare() {
        guard run.workApart != nil, run.hasLarge(leaf.searched) else { return start() }
        let scope = PlanScope(run)
        scope.apart { [self] in
            // A value that finds no room in the memory is looked up again.
            for reference in leaf.references where !isOver { _ = try? scope.json(reference) }
        } then: { [self] in
            if !isOver { start() }
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func start() {
        let scope = PlanScope(run)
        for condition in leaf.conditions {
            if let failure = run.failure(of: condition.read) { return fail(failure) }
            if !scope.holds(condition) { return succeed(.null) }
        }
        if let failure = run.failure(of: leaf.read) { return fail(failure) }
        do throws(PlannedFailure) {
            switch leaf.work {
            case .value(let template): succeed(try scope.value(template))
            case .call(let call):
                if let items = leaf.items { return try start(items, call, scope) }
                let request = try call.request(scope)
                keep(
                    call.single(request).subscribe(
                        onSuccess: { [self] in succeed($0) }, onFailure: { [self] in fail($0) }))
            }
        } catch {
            fail(error)
        }
    }

    private func start(
        _ items: BoundItems, _ call: CallTemplate, _ scope: PlanScope
    ) throws(PlannedFailure) {
        guard let list = try scope.elements(of: items) else { return succeed(.null) }
        try scope.keep(list.count * ItemsRun.bytesPerElement)
        let results = ItemResults(
            items: items, scope: scope, shapes: leaf.shapes, reveals: run.reveals,
            keepsReadValues: leaf.isRead)
        let calls = ItemsRun(items, call, scope, list, results) { [self] result in
            switch result {
            case .success(let ended):
                run.keep(ended.failures, of: number)
                succeed(ended.readValue ?? ended.value, output: ended.value)
            case .failure(let error): fail(error)
            }
        }
        keep(calls)
        calls.begin()
    }

    /// - Parameters:
    ///   - value: what references read.
    ///   - output: the value in the answer; nil if it is to be made from `value`.
    private func succeed(_ value: JSONFragment, output: JSONFragment? = nil) {
        guard close() else { return }
        let scope = PlanScope(run)
        if output == nil, value.isLarge, !leaf.shapes.isEmpty {
            return scope.apart { [leaf] in
                Result { try leaf.output(value, in: scope) }
            } then: { [self] in
                end(value, $0)
            }
        }
        end(value, Result { try output ?? leaf.output(value, in: scope) })
    }

    private func end(_ value: JSONFragment, _ output: Result<JSONFragment, any Error>) {
        switch output {
        case .success(let output): end(.value(value), .success(output))
        case .failure(let error): end(error)
        }
    }

    private func fail(_ error: any Error) {
        if close() { end(error) }
    }

    private func end(_ error: any Error) {
        guard leaf.isRead else { return observer(.failure(error)) }
        let failure = PartOutcome(error: error, elapsed: 0, reveals: run.reveals).failure
        end(failure.map { .failed($0) } ?? .value(.null), .failure(error))
    }

    /// The value is kept first, because the answer may be made at once, and its fields read it.
    private func end(_ ended: PlanRun.Ended, _ event: SingleEvent<JSONFragment>) {
        let readers = leaf.isRead ? run.end(number, ended) : []
        observer(event)
        for reader in readers { reader.leafEnded() }
    }

    /// Returns whether the caller may report the end.
    private func close() -> Bool {
        var work: (any Disposable)?
        let isFirst = state.withLock { state in
            work = state.work.take()
            defer { state.isOver = true }
            return !state.isOver
        }
        // Released outside the lock.
        withExtendedLifetime(work) {}
        return isFirst
    }

    private func keep(_ work: any Disposable) {
        let isOver = state.withLock { state in
            if !state.isOver { state.work = work }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    func dispose() {
        var work: (any Disposable)?
        let wasOver = state.withLock { state in
            work = state.work.take()
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver, !leaf.dependencies.isEmpty { run.stopWaiting(self) }
        work?.dispose()
    }
}
