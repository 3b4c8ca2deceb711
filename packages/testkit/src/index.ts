// Shipped code never imports this package.
export { CUSTOM_TYPES, TOOLS } from './arbitraries/alphabet.ts'
export { checkerDocument, extendedCheckerDocument } from './arbitraries/checkers.ts'
export { configDocument, extendedConfigDocument } from './arbitraries/config.ts'
export { contentWithoutId, extendedContentWithoutId } from './arbitraries/content.ts'
export { eventLog } from './arbitraries/events.ts'
export { extendedPolicyWithoutId, policyWithoutId } from './arbitraries/policies.ts'
export type {
  CompatHarness,
  CompatOrder,
  CompatOutcome,
  CompatRun,
  CompatTools,
  ModelTurn,
  ScriptedCall,
} from './compat/compat-harness.ts'
export { compatibilityPage } from './compat/matrix.ts'
export type { Scenario } from './compat/scenario.ts'
export { SCENARIOS } from './compat/scenarios.ts'
export {
  type DataPlanePath,
  FAKE_API_KEY,
  FAKE_PROJECT,
  FakeControlPlane,
  type FakeHeartbeat,
  fakeSeed,
  type InjectedFailure,
  type ServedDocument,
} from './fake-control-plane.ts'
export { type EventsAnswer, FakeEventStore } from './fake-event-store.ts'
export { type ClaudeLaunch, claudeEnvironment, claudeProgram, launchClaude } from './lab/claude.ts'
export {
  type CodexLaunch,
  codexEnvironment,
  codexProgram,
  launchCodex,
  prepareCodex,
} from './lab/codex.ts'
export { trustHooks } from './lab/codex-trust.ts'
export {
  type CopilotLaunch,
  copilotEnvironment,
  copilotProgram,
  launchCopilot,
} from './lab/copilot.ts'
export { type GeminiLaunch, geminiProgram, launchGemini } from './lab/gemini.ts'
export {
  buildEnvironment,
  type HarnessCommand,
  type HarnessExit,
  runHarness,
} from './lab/harness-process.ts'
export {
  type HarnessTier,
  harnessFile,
  importHarness,
  whyNotInstalled,
} from './lab/installed-harness.ts'
export { type LabFolders, makeLabFolders } from './lab/lab-folders.ts'
export { type HarnessLaunch, jsonLines } from './lab/launch.ts'
export {
  furnishOpencodeFolder,
  launchOpencode,
  type OpencodeLaunch,
  opencodeEnvironment,
  opencodeProgram,
  prepareOpencode,
} from './lab/opencode.ts'
export { MESSAGE_FORMATS } from './message-formats.ts'
export { startAnthropicServer } from './model-servers/anthropic-server.ts'
export { startChatServer } from './model-servers/chat-server.ts'
export { startGeminiServer } from './model-servers/gemini-server.ts'
export type { ModelServer } from './model-servers/model-server.ts'
export { startResponsesServer } from './model-servers/responses-server.ts'
export {
  AFTER_SCRIPT,
  type ModelRequest,
  type ModelScript,
  type NativeToolCall,
  type ScriptedTurn,
} from './model-servers/script.ts'
export { startProgram } from './program-process.ts'
export { type FakeClock, fakeClock } from './story/fake-clock.ts'
export { dice } from './story/random.ts'
export { Story, type StorySession } from './story/story.ts'
export { STORY_CONFIG } from './story/story-config.ts'
export {
  readTranscripts,
  replayTranscript,
  type SendRequest,
  type Transcript,
} from './transcripts/transcript.ts'
export { differences } from './vectors/difference.ts'
export { readVectorFiles } from './vectors/read-vector-files.ts'
export { vectorCases } from './vectors/run-vector.ts'
export { vectorsJsonSchema } from './vectors/vector-file.ts'
export { HIDDEN_RULES, type HiddenRule, isHiddenRule, toConfig } from './worlds/hidden-rule.ts'
export { type Learned, type LearnedSample, measureLearning } from './worlds/measure-learning.ts'
export { LogRecorder, recordedLog } from './worlds/recorded-log.ts'
export {
  listSeededIncidents,
  type SeededIncident,
  tellHarmless,
} from './worlds/seeded-incidents.ts'
export type { Incident, ToolCall } from './worlds/simulated-agent.ts'
export { type ToldCall, tellCalls } from './worlds/tell-calls.ts'
export {
  HELD_OUT,
  holdsInWorld,
  makeWorld,
  type TellOptions,
  type ToldSession,
  tellSession,
  type World,
} from './worlds/world.ts'
export {
  learnSessions,
  type SessionStep,
  type WrittenCall,
  writeSession,
  writeSessions,
  writeStop,
} from './worlds/write-session.ts'
export { PROMPT, RULES, STRICTER } from './writer-config.ts'
