import { STORY_CONFIG } from '@signalbox/testkit'

/** The second version advises sooner and requires less before a deployment. */
const VERSIONS = [
  STORY_CONFIG,
  {
    ...STORY_CONFIG,
    policies: STORY_CONFIG.policies?.filter(({ id }) => id !== 'tests-before-deploy'),
    feedback_providers: STORY_CONFIG.feedback_providers?.map((provider) =>
      provider.type === 'tool_usage'
        ? { ...provider, trigger: { every_n_calls: 10 }, max_calls_without_progress: 8 }
        : provider,
    ),
  },
]

/** @param {{ ns: string, key: string }} prompt */
export const buildVersions = (prompt) => VERSIONS.map((version) => ({ ...version, ...prompt }))

/**
 * @param {Awaited<ReturnType<import('./product.mjs').signedIn>>} admin
 * @param {{ ns: string, key: string }} prompt
 */
export async function publishVersions(admin, prompt) {
  const versions = buildVersions(prompt)
  try {
    await admin.tell('configs.create', { ...prompt, text: JSON.stringify(versions[0]) })
  } catch (error) {
    if (!String(error).includes(': 409 ')) throw error
  }
  for (const [index, version] of versions.entries()) {
    const { draft } = await admin.ask('drafts.open', prompt)
    const { id: draftId, revision } = await admin.tell('drafts.save', {
      ...prompt,
      text: JSON.stringify(version, null, 2),
      seen: { id: draft.id, revision: draft.revision },
      baseVersion: index === 0 ? null : index,
    })
    const note = `Version ${index + 1} of the story`
    const subject = { ...prompt, draftId, revision, environment: 'dev' }
    await admin.tell('releases.publish', { ...subject, note })
  }
}
