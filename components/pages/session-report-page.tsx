// The report shows the session at a stated moment, is limited in length, and distinguishes captured from computed data.
'use client'

import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { EnforcementBand } from '@/components/enforcement/enforcement-band.tsx'
import { VerificationBadge } from '@/components/enforcement/verification-badge.tsx'
import { CopyLinkButton } from '@/components/explanations/explanation-layout.tsx'
import { ExportMenu, PRINT } from '@/components/explanations/export-menu.tsx'
import { PrintFooter } from '@/components/explanations/print-footer.tsx'
import { linkedAt, linkKeys } from '@/components/kit/list/copy-link.ts'
import {
  CountsCard,
  FeedbackCard,
  PlanCard,
  SessionCard,
} from '@/components/sessions/page/report/report-cards.tsx'
import { ReportVerdicts } from '@/components/sessions/page/report/report-verdicts.tsx'
import { takenOutText } from '@/components/sessions/page/report/taken-out-text.ts'
import { SessionStatusBadge } from '@/components/sessions/page/session-header.tsx'
import { SessionCrumbs } from '@/components/sessions/session-crumbs.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionReport } from '@/server/explanations/session-report.ts'

export function SessionReportPage({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC()
  const query = useQuery(
    trpc.reports.session.queryOptions(
      { sessionId },
      // Snapshot at the time of the request: the report must not change while it is read or printed.
      { staleTime: Number.POSITIVE_INFINITY, refetchOnMount: false },
    ),
  )
  if (query.data !== undefined) return <Report report={query.data} />
  if (query.error === null) return <SkeletonRows />
  return (
    <ErrorState
      what="The report could not be created."
      why={query.error}
      onRetry={() => void query.refetch()}
    />
  )
}

function Report({ report }: { readonly report: SessionReport }) {
  const { session } = report
  const path = `/sessions/${session.id}/report`
  return (
    <div data-report>
      <Header report={report} path={path} />
      <EnforcementBand session={session} />
      <div className="flex flex-col gap-3 p-4 print:px-0">
        <div className="grid gap-3 lg:grid-cols-2 print:grid-cols-2 [&_section]:break-inside-avoid">
          <SessionCard session={session} />
          <div className="flex min-w-0 flex-col gap-3">
            <CountsCard report={report} />
            <FeedbackCard report={report} />
          </div>
        </div>
        <ReportVerdicts report={report} />
        <PlanCard plan={report.plan} />
        <About report={report} />
      </div>
      <PrintFooter path={path} />
    </div>
  )
}

function Header({ report, path }: { readonly report: SessionReport; readonly path: string }) {
  const { session, generatedAt } = report
  const { id, ns, key } = session
  const linked = () => linkedAt(path, `Report on a session of ${ns}/${key}`)
  usePageKeys('session report', linkKeys('the report', linked))
  return (
    <PageHeader
      above={
        <SessionCrumbs id={id}>
          Report <DemoTag session={id} />
        </SessionCrumbs>
      }
      badge={<SessionStatusBadge status={session.status} />}
      title={`${ns}/${key}`}
      facts={
        <>
          <VerificationBadge facts={session} />
          <EnforcementBadge facts={session} />
          <p className="text-small">
            generated <Timestamp at={generatedAt} style="second" />
          </p>
        </>
      }
      actions={
        <>
          <CopyLinkButton path={path} />
          <ExportMenu
            label="Export the report"
            items={[
              PRINT,
              {
                name: 'Markdown',
                isFile: true,
                icon: <FileText aria-hidden size={14} className="shrink-0" />,
                href: `/api/export/sessions/${id}?format=md`,
              },
            ]}
          />
        </>
      }
    />
  )
}

function About({ report }: { readonly report: SessionReport }) {
  const { configDigest } = report.session
  return (
    <Card className="break-inside-avoid">
      <CardHeader title="Sources" />
      <div className="flex flex-col gap-1 p-3 text-small text-text-2 [&_p]:break-words">
        <p>
          Verdicts, reasons, feedback and plan are as captured; counts, the verification and what
          was not enforced are computed from the record. All times show their time zone.
        </p>
        <p>{takenOutText(report)}</p>
        <p>{report.verification}</p>
        {configDigest === null ? null : <p>Config digest {configDigest}.</p>}
      </div>
    </Card>
  )
}
