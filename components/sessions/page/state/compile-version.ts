// The evaluator of conditions is large, so it loads only for a document with conditions.
import { type CompiledConfig, type ConfigDocument, compileConfig } from '@signalbox/core'

/** Config for folding sessions whose config is unknown; it decides nothing. */
export const NO_CONFIG: CompiledConfig = (() => {
  const result = compileConfig({ schema_version: 1, ns: 'none', key: 'none' })
  if (!result.ok) throw new Error('The empty config does not compile.')
  return result.config
})()

/** `text`: document of a version that the server could compile. Null: this page is older than the server and cannot. */
export async function compileVersion(
  text: string,
  customTypes: readonly string[],
): Promise<CompiledConfig | null> {
  // The document was validated when it was published.
  const document = JSON.parse(text) as ConfigDocument
  const options = text.includes('"type":"expression"')
    ? { customTypes, expressions: (await import('@signalbox/core/expression')).celExpressions() }
    : { customTypes }
  const result = compileConfig(document, options)
  return result.ok ? result.config : null
}
