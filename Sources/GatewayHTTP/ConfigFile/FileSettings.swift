import EndpointPlans
import EventIO
import GatewayConfig

/// Applies the settings of a file.
struct FileSettings {
    private let document: ConfigDocument

    init(_ document: ConfigDocument) {
        self.document = document
    }

    func apply(to configuration: inout GatewayServerConfiguration, _ faults: inout FileFaults) {
        document.changes.apply(to: &configuration)
        for (key, place) in document.changes.places {
            configuration.sources[key] = "\(document.files[place.file]):\(place.line):\(place.column)"
        }
        checkFolders(of: configuration, &faults)
        FileTLS(document).check(&faults)
        for upstream in document.upstreams {
            FileUpstream(upstream).apply(to: &configuration, &faults)
        }
        FileAccess(document).apply(to: &configuration, &faults)
    }

    /// Checks the folders that the file names.
    private func checkFolders(of configuration: GatewayServerConfiguration, _ faults: inout FileFaults) {
        if let place = document.changes.place(of: "spoolDirectory"),
            let folder = configuration.inbound.spoolDirectory
        {
            do {
                try SpoolFile.check(folder)
            } catch {
                faults.add("spoolDirectory takes a writable folder: \(error)", at: place)
            }
        }
        if let place = document.changes.place(of: "listen.redirect.challenges"),
            let folder = document.settings.redirect?.challenges
        {
            do {
                _ = try RootFolder(path: folder)
            } catch {
                faults.add("listen.redirect.challenges takes a readable folder: \(error)", at: place)
            }
        }
        if let place = document.changes.place(of: "public"),
            case .folder(let folder)? = configuration.files?.source
        {
            do {
                _ = try RootFolder(path: folder)
            } catch {
                faults.add("public takes a readable folder: \(error)", at: place)
            }
        }
    }
}
