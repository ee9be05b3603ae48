// Runs Jenkinsfiles with the steps of a pipeline recorded: groovy pipeline.groovy FILE[=OUTCOME]... prints a JSON list with
// what each did; OUTCOME is what `gate.sh outcome` prints. Groovy of the version that Jenkins runs (2.4): strings and
// syntax are the real ones. The sections of the declarative pipeline are plain closures here.
import groovy.json.JsonOutput

class Recorder {
  Map seen = [result: 'SUCCESS', files: [:], scripts: [], locked: [], post: [], environment: [:]]
  String outcome = 'pass'
  boolean inLock = false

  Map env = [NODE_NAME: 'gpu-1', BRANCH_NAME: null]
  Map params = [SONDE_ACCEPT: false]

  def sh(script) {
    def text = script instanceof Map ? script.script : script
    seen.scripts << text
    if (inLock) seen.locked << text
    return text.endsWith('outcome') ? "${outcome}\n" : null
  }
  void unstable(message) { seen.result = 'UNSTABLE' }
  void error(message) { throw new IllegalStateException(message.toString()) }
  void writeFile(Map file) { seen.files[file.file] = file.text }
  void lock(name, Closure body) {
    inLock = true
    run(body)
    inLock = false
  }
  void stage(name, Closure body) { new Stage(recorder: this).run(body) }
  void always(Closure body) { run(body) }
  void script(Closure body) { run(body) }
  void junit(Map options) { seen.post << 'junit' }
  void archiveArtifacts(Map options) { seen.post << 'archiveArtifacts' }
  void echo(text) {}

  void run(Closure body) {
    body.delegate = this
    body.resolveStrategy = Closure.DELEGATE_FIRST
    body()
  }
}

/** A stage: its steps run where its condition holds. */
class Stage {
  Recorder recorder
  boolean wanted = true
  void when(Closure body) {
    body.delegate = this
    body.resolveStrategy = Closure.DELEGATE_FIRST
    body()
  }
  void expression(Closure body) {
    body.delegate = recorder
    body.resolveStrategy = Closure.DELEGATE_FIRST
    wanted = body()
  }
  void steps(Closure body) { if (wanted) recorder.run(body) }
  void run(Closure body) {
    body.delegate = this
    body.resolveStrategy = Closure.DELEGATE_FIRST
    body()
  }
}

/** The sections of `pipeline { }`. */
class Pipeline {
  Recorder recorder
  void agent(Closure body) {}
  void options(Closure body) {}
  void parameters(Closure body) {}
  void environment(Closure body) {}
  void stages(Closure body) {
    try { recorder.run(body) } catch (IllegalStateException failed) { recorder.seen.result = 'FAILURE' }
  }
  void post(Closure body) { recorder.run(body) }
}

println JsonOutput.toJson(args.collect { argument ->
  def (file, outcome) = argument.tokenize('=') + ['pass']
  def recorder = new Recorder(outcome: outcome)
  def binding = new Binding()
  binding.setVariable('pipeline', { Closure body ->
    body.delegate = new Pipeline(recorder: recorder)
    body.resolveStrategy = Closure.DELEGATE_FIRST
    body()
  })
  new GroovyShell(binding).evaluate(new File(file).getText('UTF-8'))
  recorder.seen
})
