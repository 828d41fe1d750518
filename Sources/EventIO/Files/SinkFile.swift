import Glibc
import Locking

/// The file, as the helper threads use it. A thread takes it out of the state to write, so a silent disk
/// blocks no other thread. If the file is discarded meanwhile, the writing thread removes it.
final class SinkFile: Sendable {
    private struct Temporary {
        var descriptor: Int32 = -1
        var path: String?
        var place: FilePlace?
    }

    private struct State {
        var temporary = Temporary()
        var isDiscarded = false
        /// Complete and renamed.
        var hasName = false
    }

    let path: String
    private let synchronizes: Bool
    private let threads: HelperThreads
    private let state = Lock(State())

    init(path: String, synchronizes: Bool, threads: HelperThreads) {
        self.path = path
        self.synchronizes = synchronizes
        self.threads = threads
    }

    /// Creates the file on the first call, appends, and renames it after the last bytes.
    func write(_ bytes: [UInt8], isLast: Bool) -> SocketError? {
        guard var temporary = take() else { return nil }
        do throws(SocketError) {
            if temporary.path == nil { temporary = try open() }
            try append(bytes, to: temporary.descriptor)
            if isLast { try commit(&temporary) }
        } catch {
            state.withLock { $0.isDiscarded = true }
            discard(temporary)
            return error
        }
        let isWanted = state.withLock { state in
            if isLast {
                state.hasName = temporary.path == nil
                state.isDiscarded = true
            }
            if !state.isDiscarded { state.temporary = temporary }
            return !state.isDiscarded
        }
        if !isWanted { discard(temporary) }
        return nil
    }

    var hasName: Bool { state.withLock { $0.hasName } }

    /// nil once the file is discarded or renamed.
    private func take() -> Temporary? {
        state.withLock { state in
            guard !state.isDiscarded else { return nil }
            let temporary = state.temporary
            state.temporary = Temporary()
            return temporary
        }
    }

    /// Leaves removing the file to the thread that writes it, or to a helper thread. Removes it here if none
    /// is free.
    func discardElsewhere() {
        let temporary = state.withLock { state in
            state.isDiscarded = true
            let temporary = state.temporary
            state.temporary = Temporary()
            return temporary
        }
        guard temporary.path != nil else { return }
        if !threads.submit({ self.discard(temporary) }) { discard(temporary) }
    }

    private func open() throws(SocketError) -> Temporary {
        let place = try FilePlace(path)
        for _ in 0..<8 {
            // A random name: adding to the file's own name could exceed the file system's limit.
            let name = "\(place.folder).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
            // Until it has the permissions of the file that it replaces, the new one is for its owner alone.
            let mode: mode_t = place.replaced == nil ? 0o666 : 0o600
            let descriptor = Glibc.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0, Descriptor.isSpare(descriptor) {
                close(descriptor)
                unlink(name)
                throw SocketError(.file, EMFILE, subject: path)
            }
            if descriptor >= 0 { return Temporary(descriptor: descriptor, path: name, place: place) }
            guard errno == EEXIST else { break }
        }
        throw SocketError(.file, errno, subject: path)
    }

    private func append(_ bytes: [UInt8], to descriptor: Int32) throws(SocketError) {
        let code = bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
    }

    private func commit(_ temporary: inout Temporary) throws(SocketError) {
        guard let unnamed = temporary.path, let place = temporary.place else { return }
        // Long after the first look, if the response was large.
        if let replaced = try place.regularFile() ?? place.replaced {
            try replaced.copy(to: temporary.descriptor, path)
        }
        if synchronizes, fsync(temporary.descriptor) != 0 { throw SocketError(.file, errno, subject: path) }
        let isClosed = close(temporary.descriptor) == 0
        temporary.descriptor = -1
        // Some file systems report a full disk only here.
        guard isClosed || errno == EINTR else { throw SocketError(.file, errno, subject: path) }
        // It may have been discarded meanwhile.
        if state.withLock({ $0.isDiscarded }) { return }
        guard rename(unnamed, place.path) == 0 else { throw SocketError(.file, errno, subject: path) }
        temporary.path = nil
        if synchronizes { synchronize(place.folder) }
    }

    /// Makes the new name survive a crash as well (fsync(2)).
    private func synchronize(_ folder: String) {
        let descriptor = Glibc.open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func discard(_ temporary: Temporary) {
        if temporary.descriptor >= 0 { close(temporary.descriptor) }
        if let path = temporary.path { unlink(path) }
    }
}
