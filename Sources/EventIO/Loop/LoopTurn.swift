import Resilience

/// Work that goes on in a later turn of its loop.
public protocol TurnWork: AnyObject {
    /// It has its turn. It does at least a little, and waits again once `EventLoop.isTurnOver`.
    func turnBegins()
}

/// How long a loop handles what is ready before it looks for more, and what waits meanwhile.
///
/// A few bytes from a client may cause a millisecond of work, and thousands may be ready at the same time. So
/// once a turn has taken `length`, sockets that are ready are not read, pipelined requests are not begun and
/// answers are not compressed. They wait. At the end of each turn they have as much time again, in which
/// clients take turns by address: a client with much work delays itself.
///
/// A turn that ends sooner costs nothing: the clock is read only if there are several things to do.
struct LoopTurn {
    static let length = TimeAmount.milliseconds(2)
    /// The time of a turn for timers that are due together, and for work that others have passed to the loop.
    static let workLength = TimeAmount.milliseconds(1)

    fileprivate(set) var isOver = false
    /// When those that waited began; nil in the first part of a turn, which begins at `EventLoop.wakeTime`.
    fileprivate var waitingBegan: MonotonicTime?
    fileprivate var reads = 0
    /// What has no client has turns of its own: responses of upstreams.
    fileprivate var waiting = RoundRobin<AddressPrefix?, any TurnWork>()

    var isEmpty: Bool { waiting.isEmpty }

    mutating func begin() {
        isOver = false
        reads = 0
    }
}

extension EventLoop {
    /// Whether this turn has taken long enough, as far as known: `checkTurn` reads the clock. Further work
    /// has to wait.
    public var isTurnOver: Bool { turn.isOver }

    /// Reads the clock, and returns whether the turn has taken long enough. Call it after work that takes
    /// long.
    @discardableResult
    public func checkTurn() -> Bool {
        if !turn.isOver { turn.isOver = .clock() - (turn.waitingBegan ?? wakeTime) >= LoopTurn.length }
        return turn.isOver
    }

    /// Returns whether another stream may be read in this turn.
    @inline(__always)
    func mayRead() -> Bool {
        turn.reads &+= 1
        // The first two reads need no clock, and of the others every second one.
        return turn.reads & 1 == 0 || turn.reads == 1 ? !turn.isOver : !checkTurn()
    }

    /// Lets `work` have a turn soon, and retains it until then. Call it on the loop.
    ///
    /// - Parameter client: whom the work is for, and with whose work it takes turns. Nil for what no client
    ///   causes alone.
    public func awaitTurn(_ work: any TurnWork, for client: AddressPrefix?) {
        turn.waiting.append(work, of: client)
    }

    func serveWaiting() {
        turn.isOver = false
        turn.waitingBegan = .clock()
        // What waits again has its next turn later.
        var left = turn.waiting.count
        repeat {
            guard let (_, work) = turn.waiting.popFirst() else { break }
            work.turnBegins()
            left -= 1
        } while left > 0 && !checkTurn()
        turn.waitingBegan = nil
    }
}
