// Bodies for chats and incident services (specs/alerts.md). Pure. A reason quotes agents: it must mention no one and disguise no link.
import { oneLine } from '@/server/platform/one-line.ts'
import { type AlertMessage, MESSAGE_WORDS } from './message.ts'
import { alertSignal, hasThreshold } from './signals.kinds.ts'

function cut(text: string, most: number): string {
  const line = oneLine(text)
  if (line.length <= most) return line
  // Half of a surrogate pair is no text.
  return `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function listFacts({
  rule,
  scope,
  signal,
  value,
  windowMinutes,
  firedAt,
  resolvedAt,
}: AlertMessage) {
  const { unit, label } = alertSignal(signal)
  const at = (time: number): string => new Date(time).toISOString()
  return [
    { name: 'Rule', value: rule },
    { name: 'Signal', value: label },
    { name: 'Where', value: scope },
    ...(hasThreshold(signal)
      ? [{ name: 'Value', value: `${value}${unit} in ${windowMinutes} min` }]
      : []),
    { name: 'Fired', value: at(firedAt) },
    ...(resolvedAt === null ? [] : [{ name: 'Resolved', value: at(resolvedAt) }]),
  ]
}

const formatTitle = ({ event, rule }: AlertMessage): string => `${MESSAGE_WORDS[event]}: ${rule}`

/** In Slack's markup, `<` starts a link or a mention. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The limit counts escapes. Half of one is cut, too. */
function slackText(text: string, most: number): string {
  return cut(escapeSlack(oneLine(text)), most).replace(/&[a-z]{0,3}…$/, '…')
}

/** Block Kit. Only our own link is markup; every other text is plain, so that `*` and `@` in it are characters. */
export function slackBody(message: AlertMessage): string {
  const { scope, reason, url, signal } = message
  const plain = (text: string, most: number) => ({
    type: 'plain_text',
    text: slackText(text, most),
    emoji: false,
  })
  const facts = listFacts(message).map(({ name, value }) => `${name}: ${value}`)
  const link = `<${escapeSlack(url).replaceAll('|', '%7C')}|${alertSignal(signal).link}>`
  return JSON.stringify({
    text: slackText(`${formatTitle(message)} (${scope}). ${reason}`, 3_000),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(formatTitle(message), 150) },
      { type: 'section', text: plain(reason, 3_000) },
      { type: 'section', text: { type: 'mrkdwn', text: link, verbatim: true } },
      { type: 'context', elements: facts.map((fact) => plain(fact, 2_000)) },
    ],
  })
}

/** Adaptive Card for a webhook of Teams Workflows. A text run has no markup, unlike a text block. */
export function teamsBody(message: AlertMessage): string {
  const { reason, url, signal } = message
  const line = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: cut(text, 2_000), ...style }],
  })
  const facts = listFacts(message).map(({ name, value }) =>
    line(`${name}: ${value}`, { size: 'Small', isSubtle: true }),
  )
  return JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            line(formatTitle(message), { size: 'Large', weight: 'Bolder' }),
            line(reason),
            ...facts,
          ],
          actions: [{ type: 'Action.OpenUrl', title: alertSignal(signal).link, url }],
        },
      },
    ],
  })
}

function escapeDiscord(text: string): string {
  return oneLine(text).replaceAll(/[\\*_~`|<>[\]()#@-]/g, (mark) => `\\${mark}`)
}

/** Cuts before it escapes, so that no escape is cut from its character. */
function discordText(text: string, most: number): string {
  return escapeDiscord(cut(text, Math.floor(most / 2)))
}

const DISCORD_COLOR = { firing: 0xc62828, resolved: 0x2e7d32, test: 0x546e7a } as const

export function discordBody(message: AlertMessage): string {
  const { event, reason, url, signal } = message
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: discordText(formatTitle(message), 256),
        url,
        description: `${discordText(reason, 3_000)}\n\n[${alertSignal(signal).link}](${url})`,
        color: DISCORD_COLOR[event],
        timestamp: new Date(message.resolvedAt ?? message.firedAt).toISOString(),
        fields: listFacts(message).map(({ name, value }) => ({
          name,
          value: discordText(value, 600),
          inline: true,
        })),
      },
    ],
  })
}

interface Incident {
  readonly routingKey: string
  readonly action: 'trigger' | 'resolve'
}

/** Events API v2. All messages of an alert have one key, so that the end of the alert resolves its incident. */
export function pagerDutyBody(message: AlertMessage, { routingKey, action }: Incident): string {
  const { event, id, alertId, signal, reason, rule, scope, url, firedAt } = message
  const head = {
    routing_key: routingKey,
    event_action: action,
    // A test must not touch the incident of an alert.
    dedup_key: event === 'test' ? id : alertId,
  }
  if (action === 'resolve') return JSON.stringify(head)
  return JSON.stringify({
    ...head,
    payload: {
      summary: cut(`${reason} (${rule}, ${scope})`, 1_024),
      source: cut(scope, 255),
      severity: event === 'test' ? 'info' : alertSignal(signal).severity,
      timestamp: new Date(firedAt).toISOString(),
      component: 'signalbox',
      class: signal,
      custom_details: Object.fromEntries(
        listFacts(message).map(({ name, value }) => [name.toLowerCase(), cut(value, 500)]),
      ),
    },
    links: [{ href: url, text: alertSignal(signal).link }],
    client: 'Signalbox',
    client_url: message.consoleUrl,
  })
}
