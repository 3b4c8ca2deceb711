// A version's document, compiled in the browser. The evaluator of conditions is large, so it comes only with a document that has some.
import { type CompiledConfig, type ConfigDocument, compileConfig } from '@signalbox/core'

/** Folds what any session holds where its config is not known; it decides nothing. */
export const NO_CONFIG: CompiledConfig = (() => {
  const result = compileConfig({ schema_version: 1, ns: 'none', key: 'none' })
  if (!result.ok) throw new Error('The empty config does not compile.')
  return result.config
})()

/** `text`: as the server wrote it from a version that it could compile. Null: this page is older than the server and cannot. */
export async function compileVersion(
  text: string,
  customTypes: readonly string[],
): Promise<CompiledConfig | null> {
  // The server took it from a document that was validated when it was published.
  const document = JSON.parse(text) as ConfigDocument
  const options = text.includes('"type":"expression"')
    ? { customTypes, expressions: (await import('@signalbox/core/expression')).celExpressions() }
    : { customTypes }
  const result = compileConfig(document, options)
  return result.ok ? result.config : null
}
