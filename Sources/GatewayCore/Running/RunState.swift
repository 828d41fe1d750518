import HTTPModel
import Networking
import Rx

/// What of an `EndpointRun` changes, behind its lock: the stage it is at and the parts that are awaited there.
///
/// A stage is what is under way at one time: the handler, the steps, the parts. It is named by the number of its first
/// part, and numbers go on from stage to stage, so that what an earlier one hands in late meets nobody.
struct RunState {
    /// What happens when the parts have ended: `then` says the answer, or they are it.
    struct Next: Sendable {
        let then: (@Sendable (StepValues) throws -> Answer)?
        let dressing: Dressing

        init(_ dressing: consuming Dressing, then: (@Sendable (StepValues) throws -> Answer)? = nil) {
            self.then = then
            self.dressing = dressing
        }
    }

    /// What a run that is over leaves.
    struct Remains {
        var timer: TimerToken?
        var work: (any Disposable)?
        var parts: [NamedPart]
        /// The number of the first part.
        var stage: Int
        var next: Next?
        var before: [PartResults]

        /// Moved out, so that nothing of the remains holds them.
        mutating func takeParts() -> [NamedPart] {
            var taken: [NamedPart] = []
            swap(&taken, &parts)
            return taken
        }

        /// Ends what is under way.
        mutating func dispose() {
            work.take()?.dispose()
            for index in parts.indices { parts[index].stop() }
        }
    }

    /// All parts of a stage have ended.
    enum Ended {
        /// They are the answer, and the run is over.
        case answer(Remains, Dressing)
        case steps(PartResults, then: @Sendable (StepValues) throws -> Answer, Dressing)
    }

    private(set) var isOver = false
    private(set) var stage = 0
    var timer: TimerToken?
    /// What is under way besides parts.
    var work: (any Disposable)?
    /// The steps that are done.
    var before: [PartResults] = []

    private var parts: [NamedPart] = []
    /// How many of them have not ended.
    private var awaited = 0
    /// `nil` where no parts are awaited.
    private var next: Next?

    /// A stage without parts.
    mutating func beginStage() -> Int {
        stage += max(1, parts.count)
        work = nil
        parts = []
        next = nil
        return stage
    }

    /// A stage of parts that are still to be started, which are taken from the caller; `nil` where the run is over.
    mutating func beginStage(of parts: inout [NamedPart], _ next: inout Next?) -> Int? {
        guard !isOver else { return nil }
        let stage = beginStage()
        awaited = parts.count
        swap(&self.parts, &parts)
        swap(&self.next, &next)
        return stage
    }

    /// The source of a part that is to be started; `nil` where nobody awaits it any more. What awaits the part before it is
    /// kept, as `keep` has it.
    mutating func takeSource(of index: Int, _ stage: Int, keeping work: inout Link?) -> Part.Source? {
        if index > 0 { keep(&work, of: index - 1, stage) }
        guard !isOver, self.stage == stage else { return nil }
        return parts[index].part.takeSource()
    }

    /// Takes what awaits a part from the caller. Left there it is to be stopped: the run is over, or the part has ended, where
    /// that does nothing.
    mutating func keep(_ work: inout Link?, of index: Int, _ stage: Int) {
        guard !isOver, self.stage == stage else { return }
        parts[index].keep(&work)
    }

    func name(of number: Int) -> String? {
        let index = number - stage
        return parts.indices.contains(index) ? parts[index].name : nil
    }

    /// Notes a part's outcome, which is taken from the caller; the deadline may come before the others'.
    mutating func end(of number: Int, _ outcome: inout PartOutcome?) -> Ended? {
        let index = number - stage
        guard !isOver, index >= 0, index < parts.count, parts[index].outcome == nil else { return nil }
        parts[index].end(&outcome)
        awaited -= 1
        return awaited == 0 ? takeEnded(of: stage) : nil
    }

    /// The parts that have ended, all of them.
    mutating func takeEnded(of stage: Int) -> Ended? {
        guard self.stage == stage, let next = next.take() else { return nil }
        if let then = next.then {
            let results = PartResults(parts, from: stage, areSteps: true)
            parts = []
            // Its numbers are used up.
            self.stage += results.parts.count
            return .steps(results, then: then, next.dressing)
        }
        guard let remains = takeOver() else { return nil }
        return .answer(remains, next.dressing)
    }

    /// Ends the run: for the first who asks, and once.
    mutating func takeOver() -> Remains? {
        guard !isOver else { return nil }
        isOver = true
        let remains = Remains(
            timer: timer, work: work.take(), parts: parts, stage: stage, next: next.take(), before: before)
        parts = []
        before = []
        return remains
    }
}

/// What the answers around an answer have said of its status and fields.
struct Dressing: Sendable {
    var status: HTTPStatus?
    var fields: HTTPFields

    init(_ answer: consuming Answer, in outer: Dressing?) {
        status = answer.status
        fields = (consume answer).fields
        guard let outer else { return }
        if let outerStatus = outer.status { status = outerStatus }
        fields.append(contentsOf: outer.fields)
    }
}
