import Dispatch
import Glibc
import Locking
import Synchronization

/// The queue of reloads: at most one runs and one waits. With what is known of the files and of earlier
/// reloads.
final class Reloads: Sendable {
    /// How long the end of the gateway waits for them, so that their outcome is logged, and a reload for the
    /// loops. A file system that does not answer may block a reload for longer.
    static let patience = DispatchTimeInterval.seconds(1)
    /// Time between two looks at the files.
    static let watchInterval = Duration.seconds(1)

    let queue = DispatchQueue(label: "reload")
    /// Entered once for each reload that waits or runs.
    let pending = DispatchGroup()
    private let isWaiting = Atomic(false)
    private let isWatching = Atomic(false)
    private let state = Lock(State())

    private struct State {
        var stamps = FileStamps()
        var watch = FileWatch()
        var report: ConfigurationReport?
        /// Of reloads without a file, which read certificates alone.
        var certificates = ConfigurationReport(lastSuccess: Int64(time(nil)), hash: "")
        /// In seconds since 1970; nil while nothing is watched.
        var lastLook: Int64?
    }

    /// Registers a waiting reload. Returns false if one waits already.
    func begin() -> Bool { !isWaiting.exchange(true, ordering: .relaxed) }

    /// Called as the waiting reload begins, so that another one may wait.
    func started() { isWaiting.store(false, ordering: .relaxed) }

    /// The stamps of the files that were read last, in use or not.
    var stamps: FileStamps {
        get { state.withLock { $0.stamps } }
        set { state.withLock { $0.stamps = newValue } }
    }

    /// Nil without a file.
    var report: ConfigurationReport? { state.withLock { $0.report } }

    /// What metrics say: how reloads went, of the file or of the certificates without one.
    var counted: ConfigurationReport { state.withLock { $0.report ?? $0.certificates } }

    /// The number of the configuration in use: 1 at the start, and one more with each reload of the file.
    var generation: Int { report?.generation ?? 1 }

    /// The gateway has begun with a file.
    ///
    /// - Parameter hash: of the file with those that it includes.
    func began(with stamps: FileStamps, hash: String) {
        state.withLock { state in
            state.stamps = stamps
            state.report = ConfigurationReport(lastSuccess: Int64(time(nil)), hash: hash)
        }
    }

    /// - Parameter hash: of the file in use from now on; nil after a failure.
    func ended(hash: String?) {
        state.withLock { $0.report?.count(hash, at: Int64(time(nil))) }
    }

    /// A reload of the certificates alone has ended.
    func certificatesEnded(isSuccess: Bool) {
        state.withLock { $0.certificates.count(isSuccess ? "" : nil, at: Int64(time(nil))) }
    }

    /// Whether the files have changed and nobody writes them any more. Called at each look. Blocks.
    func findsChange() -> Bool {
        let read = stamps
        let found = read.taken()
        return state.withLock { state in
            state.lastLook = Int64(time(nil))
            return state.watch.look(found, read: read)
        }
    }

    /// When the watched files were last looked at, in seconds since 1970; nil if they are not watched. A look
    /// ends once the file system has answered.
    var lastLook: Int64? { state.withLock { $0.lastLook } }

    /// Calls `look` after each interval, on the queue, until `stopWatching`.
    func watch(every interval: Duration, _ look: @escaping @Sendable () -> Void) {
        isWatching.store(true, ordering: .relaxed)
        state.withLock { $0.lastLook = Int64(time(nil)) }
        lookLater(interval, look)
    }

    func stopWatching() { isWatching.store(false, ordering: .relaxed) }

    private func lookLater(_ interval: Duration, _ look: @escaping @Sendable () -> Void) {
        // A change counts at the second look. That one is sooner, so that both take less than two intervals,
        // with time to read the files.
        let time = state.withLock { $0.watch.isWaiting } ? interval / 2 : interval
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(time / .milliseconds(1)))) { [weak self] in
            guard let self, isWatching.load(ordering: .relaxed) else { return }
            look()
            lookLater(interval, look)
        }
    }
}

/// How a gateway's reloads of its file went.
public struct ConfigurationReport: Sendable, Hashable {
    /// Reloads that took effect (`sluice_config_reloads_total{result="success"}`).
    public var reloads = 0
    /// Reloads that changed nothing, because the file could not be used
    /// (`sluice_config_reloads_total{result="failure"}`).
    public var failedReloads = 0
    /// Whether the last reload took effect; true before the first (`sluice_config_last_reload_successful`).
    public var isLastSuccessful = true
    /// When the file in use was read, in seconds since 1970
    /// (`sluice_config_last_reload_success_timestamp_seconds`).
    public var lastSuccess: Int64
    /// The number of the configuration in use: 1 at the start, and one more with each reload.
    public var generation = 1
    /// The SHA-256 of the file in use, with those that it includes behind it, as 64 hexadecimal digits:
    /// `cat sluice.yaml apis/*.yaml | sha256sum`. Variables and secrets are not in it.
    public var hash: String

    /// - Parameter hash: of the new file; nil if it could not be used.
    mutating func count(_ hash: String?, at now: Int64) {
        isLastSuccessful = hash != nil
        if let hash {
            reloads += 1
            generation += 1
            lastSuccess = now
            self.hash = hash
        } else {
            failedReloads += 1
        }
    }
}
