export { GEMINI_CLI_CAPABILITIES } from './capabilities.ts'
export { geminiCli, geminiCliHarness } from './gemini-cli.ts'
export { geminiCliHooks } from './hooks-file.ts'
