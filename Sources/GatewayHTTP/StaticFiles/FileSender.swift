import EventIO
import HTTPInbound
import Rx

/// Sends a large file piece by piece, no faster than its client receives. Pieces that the kernel has in
/// memory are read by the loop; others by helper threads, in turns with other files. Confined to its loop.
final class FileSender {
    /// How long a file whose client has enough to receive keeps its turn.
    static let patience = Duration.seconds(1)
    /// Bytes that are read before another file gets its turn.
    static let turn = 1 << 20
    /// Bytes of a piece that the loop reads.
    static let piece = Int64(BlockSize.read)

    private let file: OpenFile
    /// The part that is left to read.
    private var rest: Range<Int64>
    private let files: LoopFiles
    /// Retained until it is over, when it releases this object.
    private let exchange: FileExchange
    private let client: AddressPrefix
    private let loop: EventLoop
    /// Nil until the first piece is read, so that a file that cannot be read is answered with an error.
    private var writer: BodyWriter?
    /// Reads the file; nil while others have their turn.
    private var reader: ReadAhead?
    /// Where the turn ends, if another file waits.
    private var turnEnd: Int64 = 0
    /// Set while a read or its turn is pending.
    private var timer: TimerToken?
    /// Set while the client has enough to receive, and the turn goes on.
    private var patience: TimerToken?
    /// Whether the loop is reading, or will in its next turn.
    private var isReadingCached = false
    private var isOver = false

    /// Returns nil if too many files are being sent, at all or to this client.
    init?(_ file: OpenFile, _ range: Range<Int64>, _ files: LoopFiles, for exchange: FileExchange) {
        client = exchange.clientPrefix
        guard files.turns.opened(by: client) else { return nil }
        self.file = file
        rest = range
        self.files = files
        self.exchange = exchange
        loop = exchange.loop
    }

    func start() { readFirst() }

    /// Closes the file. The exchange is over, or the file is read.
    func stop() {
        guard !isOver else { return }
        isOver = true
        stopTimer()
        stopPatience()
        files.turns.leave(self)
        endTurn()
        files.turns.closed(by: client)
    }

    // MARK: Turns

    private func awaitTurn() {
        startTimer()
        if files.turns.awaitTurn(self, of: client) { beginReading() }
    }

    private func beginReading() {
        turnEnd = rest.lowerBound + Int64(Self.turn)
        reader = ReadAhead(on: loop) { [file, rest] in file.reader(of: rest) }
        read()
    }

    /// Drops what was read ahead, and lets another file be read.
    private func endTurn() {
        guard let reader = reader.take() else { return }
        reader.close()
        if let next = files.turns.turnEnded(by: client) { next.beginReading() }
    }

    // MARK: Pieces

    /// Reads the next piece, unless a read is pending or the client has enough to receive.
    private func readNext() {
        guard timer == nil, !isReadingCached, !isOver else { return }
        guard writer?.isOverHighWatermark != true else {
            if reader != nil, patience == nil { patience = loop.setTimer(after: Self.patience, target: self) }
            return
        }
        stopPatience()
        if files.turns.isAwaited, rest.lowerBound >= turnEnd { endTurn() }
        guard reader != nil else { return readFirst() }
        startTimer()
        read()
    }

    private func read() {
        reader?.next { [weak self] piece in self?.received(piece) }
    }

    /// Reads what follows without a turn, or waits for one if the disk is needed.
    private func readFirst() {
        isReadingCached = true
        let needsDisk = !sendCached()
        guard needsDisk else { return }
        isReadingCached = false
        awaitTurn()
    }

    /// Sends pieces that the kernel has in memory. Returns false if the next one has to be read from the
    /// disk.
    private func sendCached() -> Bool {
        while writer?.isOverHighWatermark != true {
            if loop.checkTurn() {
                loop.awaitTurn(self, for: client)
                return true
            }
            let piece = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + Self.piece)
            guard let bytes = file.readCached(piece), (try? file.checkUnchanged()) != nil else {
                return false
            }
            if !send(bytes[...]) { return true }
        }
        isReadingCached = false
        return true
    }

    /// Returns whether more has to be sent.
    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        if writer == nil { begin() }
        rest = (rest.lowerBound + Int64(bytes.count))..<rest.upperBound
        writer?.write(bytes)
        guard rest.isEmpty else { return !isOver }
        stop()
        writer?.finish()
        return false
    }

    private func received(_ piece: ReadAhead.Piece) {
        guard !isOver else { return }
        stopTimer()
        switch piece {
        case .success(let bytes):
            if send(bytes) { readNext() }
        case .failure(let error):
            stop()
            exchange.fileFailed(error, writer)
        }
    }

    private func begin() {
        // Once the exchange is over, nothing would break the reference cycle with the writer.
        guard let writer = exchange.begin() else { return }
        self.writer = writer
        writer.onDrain = { [weak self] in self?.readNext() }
    }

    // MARK: Time

    private func startTimer() {
        timer = loop.setTimer(after: files.server.settings.readDeadline, target: self)
    }

    private func stopTimer() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
    }

    private func stopPatience() {
        if let patience { loop.cancelTimer(patience) }
        patience = nil
    }
}

extension FileSender: TurnWork {
    func turnBegins() {
        guard !isOver else { return }
        isReadingCached = false
        readNext()
    }
}

extension FileSender: TimerTarget {
    /// The client is slow, or the file was not read within `readDeadline`.
    func timerFired(_ token: TimerToken) {
        guard token != patience else {
            patience = nil
            return endTurn()
        }
        timer = nil
        let waitsForTurn = reader == nil
        stop()
        exchange.fileIsLate(writer, waitsForTurn: waitsForTurn)
    }
}
