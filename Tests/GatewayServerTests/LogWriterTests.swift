import Dispatch
import Foundation
import Glibc
import JSONBytes
import Locking
import Testing

@testable import GatewayServer

@Suite("Log writer")
struct LogWriterTests {
    /// A pipe whose reading end nobody reads until told to.
    private struct Pipe {
        let reader: Int32
        let writer: Int32

        init() {
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
        }

        /// Everything until the writing end is closed.
        func readAll() -> String {
            var text: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while case let count = read(reader, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private func line(_ number: Int, padding: Int = 0) -> JSONWriter {
        var line = JSONWriter()
        line.constant("{\"n\":")
        line.integer(number)
        line.constant(",\"padding\":")
        line.string(String(repeating: "x", count: padding))
        line.constant("}\n")
        return line
    }

    @Test(
        "A reader that is stuck blocks nobody: what does not fit is dropped, counted, and told once it reads again"
    )
    func aStuckReaderBlocksNobody() {
        let pipe = Pipe()
        let log = LogWriter(descriptor: pipe.writer)
        let channel = log.makeChannel()
        // 3 MiB into a pipe of 64 KiB and a channel of 1 MiB.
        for number in 0..<3000 { channel.append(line(number, padding: 1000)) }
        #expect(log.droppedLines > 0)
        let text = Lock("")
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            let all = pipe.readAll()
            text.withLock { $0 = all }
            done.signal()
        }
        log.close()
        close(pipe.writer)
        done.wait()
        close(pipe.reader)
        let lines = text.withLock { $0 }.split(separator: "\n")
        #expect(lines.first?.hasPrefix("{\"n\":0,") == true)
        #expect(lines.contains { $0.contains("log lines dropped") && $0.contains("\(log.droppedLines)") })
        #expect(lines.count { $0.hasPrefix("{\"n\":") } == 3000 - log.droppedLines)
    }

    @Test("A reader that has gone costs the lines, which are counted, and nothing else")
    func aReaderThatHasGoneCostsTheLines() {
        let pipe = Pipe()
        close(pipe.reader)
        let log = LogWriter(descriptor: pipe.writer)
        let channel = log.makeChannel()
        for number in 0..<10 { channel.append(line(number)) }
        log.close()
        close(pipe.writer)
        #expect(log.droppedLines == 10)
    }

    @Test("Lines of several threads come out whole, each thread's in its order")
    func linesOfSeveralThreadsComeOutWhole() throws {
        let pipe = Pipe()
        let log = LogWriter(descriptor: pipe.writer)
        let channels = (0..<4).map { _ in log.makeChannel() }
        let done = DispatchSemaphore(value: 0)
        let text = Lock("")
        DispatchQueue.global().async {
            let all = pipe.readAll()
            text.withLock { $0 = all }
            done.signal()
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 { channels[thread].append(line(thread * 1000 + number)) }
        }
        log.close()
        close(pipe.writer)
        done.wait()
        close(pipe.reader)
        let numbers = try text.withLock { $0 }.split(separator: "\n").map { text in
            try #require(JSONFragment(validating: Array(text.utf8)[...])[member: "n"]?.intValue)
        }
        for thread in 0..<4 {
            #expect(numbers.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
    }

    @Test("A line of the log is JSON whatever its facts hold, and below its level there is none")
    func aLineOfTheLogIsJSON() throws {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.writer)
        let log = Log(level: .warning, writer: writer)
        log.write(.info, "not told")
        log.write(.warning, "told", ["what": "a \"quoted\"\nline"])
        writer.close()
        close(pipe.writer)
        let text = pipe.readAll()
        close(pipe.reader)
        let line = try JSONFragment(validating: Array(text.utf8).dropLast())
        #expect(line[member: "level"]?.stringValue == "warning")
        #expect(line[member: "message"]?.stringValue == "told")
        #expect(line[member: "what"]?.stringValue == "a \"quoted\"\nline")
        let time = try #require(line[member: "time"]?.stringValue)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }
}
