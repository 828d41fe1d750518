import Networking
import Rx

/// The mutable state of an `EndpointRun`, behind its lock: the current stage and the parts it awaits.
///
/// A run goes through stages: its handler, each group of steps, the parts. A stage is identified by the
/// number of its first part. Numbers are never reused within a run, so a late result of an earlier stage
/// matches no part and is dropped.
struct RunState {
    /// What follows when all parts of a stage have ended.
    struct AfterStage: Sendable {
        /// Makes the next answer from the results of steps; nil if the parts are the answer.
        let then: (@Sendable (StepValues) throws -> Answer)?
        let overrides: AnswerOverrides

        init(_ overrides: consuming AnswerOverrides, then: (@Sendable (StepValues) throws -> Answer)? = nil) {
            self.then = then
            self.overrides = overrides
        }
    }

    /// What a run hands over when it finishes.
    struct FinishedRun {
        var timer: TimerToken?
        var work: (any Disposable)?
        var parts: [NamedPart]
        /// The number of the first part.
        var stage: Int
        var after: AfterStage?
        /// The results of completed steps.
        var steps: [PartResults]
        /// Ends the run at the end of this wake; nil unless a failure has decided the answer.
        var stop: (any Disposable)?

        /// Moves the parts out, so that the caller holds the only reference.
        mutating func takeParts() -> [NamedPart] {
            var taken: [NamedPart] = []
            swap(&taken, &parts)
            return taken
        }

        /// Cancels whatever is still in progress.
        mutating func dispose() {
            stop.take()?.dispose()
            work.take()?.dispose()
            for index in parts.indices { parts[index].stop() }
        }
    }

    enum FinishedStage {
        /// The parts are the answer, and the run is over.
        case answer(FinishedRun, AnswerOverrides)
        case steps(PartResults, then: @Sendable (StepValues) throws -> Answer, AnswerOverrides)
    }

    private(set) var isOver = false
    private(set) var stage = 0
    var timer: TimerToken?
    /// Work in progress other than parts: an async handler or a pipeline.
    var work: (any Disposable)?
    var steps: [PartResults] = []
    /// The answer that another thread writes, after the run's end.
    private var written: WrittenAnswer?

    struct WrittenAnswer: Sendable {
        let work: any Disposable
        let results: PartResults
        let steps: [PartResults]
    }

    /// What a failure that decides the answer leads to in this stage.
    private enum Stop {
        case none
        /// Parts are being started: the run ends once their starts are over. Parts that read no other are not
        /// started.
        case afterStarts
        /// The run ends at the end of this wake.
        case scheduled(any Disposable)
    }

    private var isStarting = false
    private var stop = Stop.none
    private var parts: [NamedPart] = []
    /// Parts of this stage that have not ended.
    private var awaited = 0
    /// `nil` unless parts are awaited.
    private var after: AfterStage?

    /// Begins a stage without parts.
    mutating func beginStage() -> Int {
        stage += max(1, parts.count)
        work = nil
        parts = []
        after = nil
        return stage
    }

    /// Begins a stage and takes its parts from the caller. Returns `nil` if the run is over.
    mutating func beginStage(of parts: inout [NamedPart], _ after: inout AfterStage?) -> Int? {
        guard !isOver else { return nil }
        let stage = beginStage()
        awaited = parts.count
        isStarting = true
        swap(&self.parts, &parts)
        swap(&self.after, &after)
        return stage
    }

    /// Returns a part's source, `nil` if the stage is over. Keeps the previous part's subscription, as `keep`
    /// does.
    mutating func takeSource(of index: Int, _ stage: Int, keeping work: inout Link?) -> Part.Source? {
        if index > 0 { keep(&work, of: index - 1, stage) }
        guard !isOver, self.stage == stage else { return nil }
        if case .afterStarts = stop { return nil }
        return parts[index].part.takeSource()
    }

    /// Returns the source of a part that is started although a failure has decided the answer, or before the
    /// others; `nil` if it has started.
    mutating func takeSource(of index: Int, _ stage: Int) -> Part.Source? {
        isOver || self.stage != stage ? nil : parts[index].part.takeSource()
    }

    /// The stage's other parts are to be started after some that were started alone. Returns false if the
    /// answer is decided.
    mutating func beginOtherStarts(_ stage: Int) -> Bool {
        guard !isOver, self.stage == stage, case .none = stop else { return false }
        isStarting = true
        return true
    }

    /// Whether a failure has decided the answer while the parts of this stage are being started.
    func stopsAfterStarts(_ stage: Int) -> Bool {
        guard !isOver, self.stage == stage, case .afterStarts = stop else { return false }
        return true
    }

    /// All parts of the stage have been started. Returns whether a failure has decided the answer meanwhile.
    mutating func endStarts(keeping work: inout Link?, of index: Int, _ stage: Int) -> Bool {
        keep(&work, of: index, stage)
        return endStarts(stage)
    }

    mutating func endStarts(_ stage: Int) -> Bool {
        guard self.stage == stage else { return false }
        isStarting = false
        return stopsAfterStarts(stage)
    }

    /// Ends parts that have not ended as cancelled.
    ///
    /// - Returns: their subscriptions, for the caller to stop, and the stage's outcome if these were the last
    ///   parts.
    mutating func cancel(
        _ indices: [Int], _ stage: Int, after elapsed: Int64
    ) -> (work: [Link], ended: FinishedStage?) {
        guard !isOver, self.stage == stage else { return ([], nil) }
        var work: [Link] = []
        for index in indices where parts[index].outcome == nil {
            if let link = parts[index].cancel(after: elapsed) { work.append(link) }
            awaited -= 1
        }
        return (work, awaited == 0 ? finishStage(stage) : nil)
    }

    /// The parts of the stage of a part, of which some have not ended; nil if none has to be waited for or
    /// the run stops already.
    func openResults(with number: Int) -> PartResults? {
        guard !isOver, number >= stage, number < stage + parts.count, awaited > 0, let after,
            case .none = stop
        else { return nil }
        return PartResults(parts, from: stage, areSteps: after.then != nil)
    }

    /// A failure in this stage has decided the answer. Returns whether the caller has to schedule the end of
    /// the run.
    mutating func decided(_ stage: Int) -> Bool {
        guard !isOver, self.stage == stage, case .none = stop else { return false }
        if isStarting { stop = .afterStarts }
        return !isStarting
    }

    /// Keeps the scheduled end of the run. Returns false if the run has ended before.
    mutating func keepStop(_ stop: any Disposable) -> Bool {
        guard !isOver else { return false }
        self.stop = .scheduled(stop)
        return true
    }

    /// Takes a part's subscription. If the run or the stage is over, it stays in `work` for the caller to
    /// stop.
    mutating func keep(_ work: inout Link?, of index: Int, _ stage: Int) {
        guard !isOver, self.stage == stage else { return }
        parts[index].keep(&work)
    }

    /// The number of parts of this stage.
    var count: Int { parts.count }

    /// Whether the parts of this stage are steps.
    var areSteps: Bool { after?.then != nil }

    /// Whether the run awaits its handler, and no parts.
    var awaitsHandler: Bool { !isOver && after == nil }

    /// Whether the part has ended, or had before this stage. Nil if the stage is over.
    func hasEnded(_ index: Int, _ stage: Int) -> Bool? {
        guard !isOver, self.stage == stage else { return nil }
        return parts[index].outcome != nil || parts[index].part.hasEnded
    }

    /// The parts of this stage that have not ended.
    var openParts: [OpenWork.Part] {
        parts.indices.filter { parts[$0].outcome == nil }.map { index in
            OpenWork.Part(number: stage + index, name: parts[index].name)
        }
    }

    func name(of number: Int) -> String? {
        let index = number - stage
        return parts.indices.contains(index) ? parts[index].name : nil
    }

    /// Takes a part's outcome from the caller. Returns the stage's outcome if this was the last part.
    mutating func end(of number: Int, _ outcome: inout PartOutcome?) -> FinishedStage? {
        let index = number - stage
        guard !isOver, index >= 0, index < parts.count, parts[index].outcome == nil else { return nil }
        parts[index].end(&outcome)
        awaited -= 1
        return awaited == 0 ? finishStage(stage) : nil
    }

    /// Takes the outcome of a stage once its parts have all ended.
    mutating func finishStage(_ stage: Int) -> FinishedStage? {
        guard self.stage == stage, let after = after.take() else { return nil }
        if let then = after.then {
            let results = PartResults(parts, from: stage, areSteps: true)
            parts = []
            // Skips the numbers of the steps.
            self.stage += results.parts.count
            return .steps(results, then: then, after.overrides)
        }
        guard let finished = finish() else { return nil }
        return .answer(finished, after.overrides)
    }

    mutating func write(_ answer: WrittenAnswer) { written = answer }

    /// Returns the answer that is being written, once: to whoever delivers it, or drops it because the client
    /// has left.
    mutating func takeWritten() -> WrittenAnswer? { written.take() }

    private var scheduledStop: (any Disposable)? { if case .scheduled(let stop) = stop { stop } else { nil } }

    /// Ends the run and returns its contents, once: later callers get `nil`.
    mutating func finish() -> FinishedRun? {
        guard !isOver else { return nil }
        isOver = true
        let finished = FinishedRun(
            timer: timer, work: work.take(), parts: parts, stage: stage, after: after.take(), steps: steps,
            stop: scheduledStop)
        parts = []
        steps = []
        return finished
    }
}
