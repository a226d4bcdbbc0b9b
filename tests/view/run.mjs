// run.mjs GROUP: tests of the page in a real browser, those of one group; see the files for what they show.
import { spawnSync } from 'node:child_process';
import * as live from './live.mjs';
import * as report from './report.mjs';
import * as sight from './sight.mjs';
import * as stranger from './stranger.mjs';
import * as trouble from './trouble.mjs';
import { closeBrowser } from './browser.mjs';
import { runTests } from './harness.mjs';

const groups = {
  report: [
    ['report_opens_without_requests', report.opensWithoutRequests],
    ['poses_equal_the_log', report.posesEqualTheLog],
    ['arrows_equal_the_log', report.arrowsEqualTheLog],
    ['nothing_slips_before_the_first_step', report.nothingSlipsBeforeTheFirstStep],
    ['events_agree_with_the_log', report.eventsAgreeWithTheLog],
    ['time_controls_work', report.timeControlsWork],
    ['picks_show_what_is_there', report.picksShowWhatIsThere],
    ['cones_follow_and_plots', report.conesFollowAndPlots],
    ['marks_of_many_events', report.marksOfManyEvents],
    ['plots_of_heaps_read_contacts_once', report.plotsOfHeapsReadContactsOnce],
    ['goes_on_as_recorded', report.goesOnAsRecorded],
    ['changed_friction_changes_the_future', report.changedFrictionChangesTheFuture],
    ['report_fits_a_phone', report.fitsAPhone],
    ['sizes', report.sizes],
    ['renders_pictures', report.rendersPictures],
    ['renders_videos_through_links', report.rendersVideosThroughLinks],
    ['converts_to_mcap', report.convertsToMcap],
  ],
  live: [
    ['live_play_pause_step_speed', live.playPauseStepSpeed],
    ['values_of_curves_while_it_runs', live.valuesOfCurvesWhileItRuns],
    ['live_scrub_and_branch', live.scrubAndBranch],
    ['live_actuators_joints_keyframes', live.actuatorsJointsKeyframes],
    ['live_what_if', live.whatIf],
    ['live_drag_by_springs_law', live.dragBySpringsLaw],
    ['live_two_clients', live.twoClients],
    ['live_reloads', live.reloads],
    ['live_saves', live.saves],
    ['live_strangers_are_kept_out', live.strangersAreKeptOut],
    ['live_nonsense_ends_only_its_connection', live.nonsenseEndsOnlyItsConnection],
    ['live_read_only', live.readOnly],
    ['live_shows_recordings', live.showsRecordings],
    ['live_fits_both_screens', live.fitsBothScreens],
  ],
  sight: [
    ['live_keeps_in_sight', sight.keepsInSight],
    ['live_arrows_fit_the_forces', sight.arrowsFitTheForces],
    ['live_looks_past_walls', sight.looksPastWalls],
    ['live_looks_through_cameras', sight.looksThroughCameras],
    ['live_sliders_reach_the_controls', sight.slidersReachTheControls],
    ['live_mentions_keyframes', sight.mentionsKeyframes],
    ['live_every_control_twice', stranger.everyControlTwice],
    ['live_saves_twice', stranger.savesTwice],
    ['live_pressed_lines_stay', sight.pressedLinesStay],
  ],
  trouble: [
    ['live_ends_at_once', trouble.endsAtOnce],
    ['live_begins_with_the_first_page', trouble.beginsWithTheFirstPage],
    ['live_connects_again', trouble.connectsAgain],
    ['live_reload_keeps_the_page', trouble.reloadKeepsThePage],
    ['live_watchers_look_back', trouble.watchersLookBack],
    ['live_oldest_moment_can_be_reached', trouble.oldestMomentCanBeReached],
    ['live_method_is_shown', trouble.methodIsShown],
  ],
  // These measure times.
  cost: [
    ['live_stopped_reader_costs_nothing', live.stoppedReaderCostsNothing],
    ['bin_replays_fast', report.binReplaysFast],
  ],
};

await runTests(groups[process.argv[2]]);
// Closing can hang in the browser or in a server. All results are printed by then, so that the program waits ten seconds
// for it and then ends with the status of the tests.
const patience = setTimeout(() => {
  spawnSync('pkill', ['-KILL', '-P', String(process.pid)]); // children that would keep the output open
  process.exit();
}, 10000);
await closeBrowser();
clearTimeout(patience);
process.exit();
