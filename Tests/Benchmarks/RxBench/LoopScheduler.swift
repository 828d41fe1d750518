import Foundation
import LoopScheduling
import Rx

/// An event loop's timers without the loop: a slab of targets with generations, as in EventIO.
/// Confined to the benchmark's only thread.
final class LoopScheduler: SchedulerType, @unchecked Sendable {
    private var targets: [(target: (any TimerTarget)?, generation: UInt32)] = []
    private var free: [UInt32] = []

    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        Disposables.create()
    }

    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        let index = free.popLast() ?? UInt32(targets.count)
        if index == targets.count { targets.append((nil, 0)) }
        targets[Int(index)].target = target
        return TimerToken(index: index, generation: targets[Int(index)].generation)
    }

    func cancelTimer(_ token: TimerToken) {
        guard targets[Int(token.index)].generation == token.generation else { return }
        targets[Int(token.index)].target = nil
        targets[Int(token.index)].generation &+= 1
        free.append(token.index)
    }
}
