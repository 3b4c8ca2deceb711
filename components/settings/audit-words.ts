// What each action of the audit log is, as a person reads it after a name: `Ana published a version`. An action without words is
// shown as it is stored.

const WORDS: Readonly<Record<string, string>> = {
  'approval.given': 'approved a release',
  'approval.refused': 'refused a release',
  'approval.requested': 'asked for approval of a release',
  'approval.withdrawn': 'withdrew a question for approval',
  'backtest.cancelled': 'cancelled a backtest',
  'backtest.started': 'started a backtest',
  'case.changed': 'changed a pinned case',
  'case.pinned': 'pinned a decision as a test case',
  'case.unpinned': 'took a pinned case away',
  'config.archived': 'archived a config',
  'config.created': 'created a config',
  'config.restored': 'restored an archived config',
  'draft.created': 'began a draft',
  'draft.discarded': 'discarded a draft',
  'draft.restored': 'restored a discarded draft',
  'environment.changed': 'changed an environment',
  'environment.created': 'added an environment',
  'environment.removed': 'removed an environment',
  'environment.reordered': 'changed the order of promotion',
  'invitation.accepted': 'joined by an invitation',
  'invitation.created': 'invited a person',
  'invitation.revoked': 'revoked an invitation',
  'key.created': 'created an API key',
  'key.revoked': 'revoked an API key',
  'key.rotated': 'rotated an API key',
  'member.joined': 'joined by single sign-on',
  'member.removed': 'removed a person',
  'member.role_changed': 'changed a role',
  'member.set_up': 'became the first administrator',
  'project.created': 'created the project',
  'project.deleted': 'deleted the project',
  'project.imported': 'imported configs',
  'project.renamed': 'renamed the project',
  'release.promoted': 'promoted a version',
  'release.published': 'published a version',
  'release.rescheduled': 'moved a planned release',
  'release.rolled_back': 'rolled back',
  'release.schedule_cancelled': 'cancelled a planned release',
  'release.schedule_refused': 'did not make a planned release',
  'release.scheduled': 'planned a release',
  'retention.changed': 'changed how long records are kept',
  'rollout.completed': 'completed a staged rollout',
  'rollout.passed': 'ended the watch of a release',
  'rollout.rolled_back': 'rolled a rollout back',
  'rollout.share_changed': 'changed the share of a rollout',
  'rollout.started': 'started a rollout',
  'rollout.stopped': 'stopped a rollout',
  'shadow.started': 'started a shadow version',
  'shadow.stopped': 'stopped a shadow version',
  'signing_key.activated': 'changed the signing key',
  'signing_key.prepared': 'prepared a signing key',
  'signing_key.revoked': 'revoked a signing key',
}

/** `published a version`; `thing.done` for an action that has no words. */
export function actionText(action: string): string {
  return WORDS[action] ?? action
}

const PLACES: Readonly<Record<string, string>> = {
  rel: '/rollouts/',
  rt: '/runtimes/',
  sess: '/sessions/',
  bt: '/backtests/',
}

/** The page of the thing changed; null when it has none of its own. */
export function targetHref(target: string): string | null {
  const place = PLACES[target.slice(0, target.indexOf('_'))]
  return place === undefined ? null : `${place}${target}`
}
