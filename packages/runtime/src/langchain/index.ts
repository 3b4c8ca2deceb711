// Signalbox for LangChain (`createAgent` of langchain 1).
export { LANGCHAIN, LANGCHAIN_CAPABILITIES } from './capabilities.ts'
export { type GuardOptions, guardMiddleware } from './guard-middleware.ts'
