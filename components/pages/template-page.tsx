'use client'
// The example session is part of the product: it belongs to no project, and no list or figure has it.
import { newConfigPath } from '@/components/configs/new-config-sources.ts'
import { RulesInWords } from '@/components/configs/rules-in-words.tsx'
import { eventLook } from '@/components/sessions/page/rows/event-look.ts'
import { sessionRows } from '@/components/sessions/page/rows/session-rows.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { TemplateDetail } from '@/server/configs/config-templates.ts'

export function TemplatePage({ template }: { readonly template: TemplateDetail }) {
  const { name, title, purpose, audience, adapt, tools, rules, task, session } = template
  const rows = sessionRows(session, true).flatMap((row) => (row.kind === 'event' ? [row] : []))
  const first = rows[0]?.at ?? 0
  return (
    <>
      <PageHeader
        above={
          <nav aria-label="Breadcrumb">
            <Link href="/configs" className="text-link hover:underline">
              Configs
            </Link>{' '}
            ›{' '}
            <Link href={newConfigPath()} className="text-link hover:underline">
              Templates
            </Link>
          </nav>
        }
        title={title}
        facts={<span>{purpose}</span>}
        actions={
          <LinkButton variant="primary" href={newConfigPath({ template: name })}>
            Use this template
          </LinkButton>
        }
      />
      <div className="flex flex-col gap-3 p-4">
        <p className="text-text-2">
          For: {audience} {adapt}
        </p>
        <Card>
          <CardHeader title="Rules" aside="a new config starts with them in shadow mode" />
          <RulesInWords rules={rules} activity={null} />
        </Card>
        <Card>
          <CardHeader title="Tools" aside="names that the rules expect" />
          <ul className="flex flex-col gap-1 p-3">
            {tools.map(({ name, does }) => (
              <li key={name}>
                <code>{name}</code> <span className="text-text-2">{does}</span>
              </li>
            ))}
          </ul>
        </Card>
        <Card>
          <CardHeader
            title="Example session"
            aside="recorded with the rules enforced; not counted in any figure"
          />
          <p className="px-3 pt-3">Task: {task}</p>
          <Table isStacked>
            <thead>
              <tr>
                <HeadCell className="text-right">Seconds</HeadCell>
                <HeadCell>Result</HeadCell>
                <HeadCell>Subject</HeadCell>
                <HeadCell>What happened</HeadCell>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.key}>
                  <Cell label="Seconds" className="text-right tabular-nums">
                    {((row.at - first) / 1000).toFixed(1)}
                  </Cell>
                  <Cell>{eventLook(row).word}</Cell>
                  <Cell title={row.subject} className="font-mono text-mono">
                    {row.subject}
                  </Cell>
                  <Cell label="What happened" title={row.text}>
                    {row.text}
                  </Cell>
                </Row>
              ))}
            </tbody>
          </Table>
        </Card>
      </div>
    </>
  )
}
